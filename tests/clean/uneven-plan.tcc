# A plan for those who publish video: more up than down, by contract.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 300mbit; fairness per-host }
    ingress { bandwidth 100mbit; fairness per-host }
}
