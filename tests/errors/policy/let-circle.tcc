let a = b + 1mbit
let b = c
let c = a * 2
