tier voice { match protocol 256 }
