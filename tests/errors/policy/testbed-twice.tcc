testbed t { cpus 1 }
testbed t { cpus 1 }
