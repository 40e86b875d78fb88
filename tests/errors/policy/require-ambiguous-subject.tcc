link wan { device "eth0"; egress { bandwidth 10mbit } }
tier calls as voice { match dscp ef }
workload calls { voip 4 calls }
objective "x" { under calls; require calls loss <= 1% }
