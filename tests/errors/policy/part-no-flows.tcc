workload w { tcp upload 4 }
