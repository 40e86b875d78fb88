workload w { tcp upload 4 flows dscp af4x }
