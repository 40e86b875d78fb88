workload w { tcp upload 0 flows }
