workload w { udp upload 4 flows cubic }
