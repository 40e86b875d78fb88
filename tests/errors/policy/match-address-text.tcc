let a = "10.0.0.999"
tier voice { match remote address a }
