link wan { device "eth0"; egress { bandwidth 10mbit } }
objective "x" { under tcp_nup 4 flows 5 flows; require ping latency p99 <= 60ms }
