testbed t { kernel "linux-9.9" }
