param a : speed
