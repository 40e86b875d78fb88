tier a { match udp port 1..2..3 }
