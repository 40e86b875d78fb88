# The modem bridges; this router speaks plain Ethernet to it.
link wan {
    device  "eth0.2"
    framing bridged-llcsnap
    role    router
    egress  { bandwidth 2.2mbit; fairness per-host }
    ingress { bandwidth 21mbit; fairness per-host }
}
