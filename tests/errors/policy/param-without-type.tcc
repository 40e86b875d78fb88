param a
