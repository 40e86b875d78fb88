workload w { tcp upload 1.5 flows }
