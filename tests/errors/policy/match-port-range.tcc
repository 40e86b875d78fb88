tier voice { match udp port 5061..5060 }
