tier voice { match udp port 65536 }
