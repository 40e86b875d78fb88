link wan { device "eth0"; egress { bandwidth 10mbit } }
objective "x" { require ping latency p99 <= 60ms }
