tier voice { match }
