workload w { tcp sideways 4 flows }
