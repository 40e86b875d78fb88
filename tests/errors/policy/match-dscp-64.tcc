tier voice { match dscp 64 }
