tier voice { match udp }
