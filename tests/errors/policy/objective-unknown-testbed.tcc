link wan { device "eth0"; egress { bandwidth 10mbit } }
objective "x" { on t; under rrul; require ping latency p99 <= 60ms }
