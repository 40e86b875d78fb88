# Equal loads may be shared by flows: it comes to the same.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 50mbit; fairness per-flow }
}

workload even { tcp upload 4 flows from 4 hosts }
objective "even" { under even for 20s rtt 20ms; require egress host fairness >= 0.9 }
