bandwidth 100Mbps
