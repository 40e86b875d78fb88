workload w { http 5 flows }
