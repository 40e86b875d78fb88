# Cable that gives twice the plan for some seconds: the plan is what lasts.
let plan_down = 250mbit
let plan_up   = 25mbit

link wan {
    device   "eth0"
    framing  docsis
    role     router
    tiers    diffserv3
    fairness per-host
    egress   { bandwidth 96% of plan_up; ack-filter on }
    ingress  { bandwidth 90% of plan_down; dscp wash }
}
