workload w { tcp upload 4 flows rtt 5ms rtt 6ms }
