workload w { ping }
workload w { ping }
