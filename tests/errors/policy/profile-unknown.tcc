profile office { rtt lan }
link wan : offic { device "a" }
