tier voice { match udp port 1 tcp port 2 }
