tier voice { match local net 10.0.0.0/8 }
