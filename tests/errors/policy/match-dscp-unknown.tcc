tier voice { match dscp ef, af44 }
