link wan { device "eth0"; egress { bandwidth 10mbit } }
objective "x" { under rul for 5s; require ping latency p99 <= 60ms }
