let unlimited = 5mbit
