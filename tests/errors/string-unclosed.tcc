link wan {
    device "eth0
    rtt lan
}
objective "calls survive {
    under rrul for 20s
}
