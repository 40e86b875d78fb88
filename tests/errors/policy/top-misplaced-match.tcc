match dscp ef
