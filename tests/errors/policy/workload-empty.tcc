workload w { }
