link wan {
    device "eth0"
    egress { bandwidth 5mbit; qdisc tbf { prefer burst 20KiB } }
}
