# Cable with a narrow way up: acknowledgements alone could fill it.
let plan_down = 500mbit
let plan_up   = 20mbit

link cable {
    device  "eth1"
    framing docsis
    role    router
    egress  { bandwidth 90% of plan_up; fairness per-host; ack-filter on }
    ingress { bandwidth 90% of plan_down; fairness per-host }
}
