tier voice { match 5 }
