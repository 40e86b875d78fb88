let a 5mbit
