workload w { tcp upload }
