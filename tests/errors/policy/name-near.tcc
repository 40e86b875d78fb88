let sync_up = 5mbit
link wan {
    device "eth0"
    egress { bandwidth 95% of sync_ip }
}
