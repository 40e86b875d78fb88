objective "x" { under rrul; require ping latency p99 <= 60ms }
