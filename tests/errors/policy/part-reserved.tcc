workload w { tcp upload 1 flow as flow }
