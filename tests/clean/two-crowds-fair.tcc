link wan {
    device   "eth0"
    framing  ethernet
    role     router
    fairness per-host
    egress   { bandwidth 95mbit }
    ingress  { bandwidth 190mbit }
}

workload house { tcp download 12 flows from 1 host; tcp download 1 flow from 3 hosts; ping }

objective "one host does not take all" {
    under   house for 20s rtt 30ms
    require ingress host fairness >= 0.9
}
