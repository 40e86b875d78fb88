let a = 5mbit
let a = 6mbit
