workload w { udp upload 4 flows payload 70KB }
