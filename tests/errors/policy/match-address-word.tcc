tier voice { match remote address gateway }
