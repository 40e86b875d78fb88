let a = a
