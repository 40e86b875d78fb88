workload w { tcp upload 4 flows from 3 }
