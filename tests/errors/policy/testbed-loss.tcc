testbed t { loss 120% }
