link wan {
    device "eth0"
    egress { fairness per_host }
}
