testbed t { cpu 4 }
