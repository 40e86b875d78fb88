tier voice { }
