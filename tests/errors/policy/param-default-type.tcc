param a : rate = 20ms
param b : device = 5mbit
param c : count = 5mbit
