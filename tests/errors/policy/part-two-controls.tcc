workload w { tcp upload 4 flows cubic reno }
