tier voice { match device wan0 }
