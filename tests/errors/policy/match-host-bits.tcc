tier voice { match local subnet 10.0.9.1/24 }
