tier voice { match udp port 5ms }
