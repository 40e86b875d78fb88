link wan { device "eth0"; egress { bandwidth 10mbit } }
objective "x" { over wann; under rrul; require ping latency p99 <= 60ms }
