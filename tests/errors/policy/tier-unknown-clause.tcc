tier voice { dscp ef }
