workload w { voip 3 flows }
