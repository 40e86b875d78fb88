testbed t { bql 5KB }
