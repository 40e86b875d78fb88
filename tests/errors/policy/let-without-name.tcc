let = 5mbit
