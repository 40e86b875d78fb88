workload rrul { ping }
