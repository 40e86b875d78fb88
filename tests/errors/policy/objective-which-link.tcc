link a { device "a" }
link b { device "b" }
objective "x" { under rrul; require ping latency p99 <= 60ms }
