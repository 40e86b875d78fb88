let lan = 5mbit
