link wan { device "eth0"; egress { bandwidth 10mbit } }
objective "x" { under rrul for 5s for 6s; require ping latency p99 <= 60ms }
