workload w { ping interval 5 }
