tier voice { match dscp ef dscp cs5 }
