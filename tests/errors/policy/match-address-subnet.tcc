tier voice { match local address 10.0.9.0/24 }
