link wan { egress { bandwidth 5mbit } }
