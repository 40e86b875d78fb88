workload w { ping as a; tcp upload 1 flow as a }
