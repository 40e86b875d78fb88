workload w { udp upload 4 flows 5mbit }
