let a = 5mbit { b }
