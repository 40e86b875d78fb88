tier voice { match udp 5060 }
