let a = 5mbit..6mbit
