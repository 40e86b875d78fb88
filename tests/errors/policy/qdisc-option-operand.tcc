link wan {
    device "eth0"
    egress { bandwidth 5mbit; qdisc cake { nat on } }
}
