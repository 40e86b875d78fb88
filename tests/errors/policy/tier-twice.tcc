link wan { device "eth0"; egress { bandwidth 10mbit } }
tier voice { match dscp ef }
tier voice { match dscp cs5 }
