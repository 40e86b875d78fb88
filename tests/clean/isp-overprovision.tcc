# Plans are sold by goodput, and headers are ours: 108% of the plan.
param plan : rate = 100mbit

link customer {
    device  matching "ppp*"
    framing pppoe-ptm
    role    router facing hosts
    egress  { bandwidth 108% of plan; fairness per-flow }
    ingress { bandwidth 108% of plan / 2; fairness per-flow }
}
