workload egress { ping }
