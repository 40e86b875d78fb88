let sync_up = 40mbit
link wan {
    device "eth0"
    egress { bandwidth 95% }
}
