let a = 5mbit
param a : rate
