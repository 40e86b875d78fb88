testbed t { queue-map random }
