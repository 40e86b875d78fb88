tier voice { match local port 5060 }
