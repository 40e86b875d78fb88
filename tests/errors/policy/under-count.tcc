link wan { device "eth0"; egress { bandwidth 10mbit } }
objective "x" { under tcp_nup 4; require ping latency p99 <= 60ms }
