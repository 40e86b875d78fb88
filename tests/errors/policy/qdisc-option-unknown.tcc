link wan {
    device "eth0"
    egress { bandwidth 5mbit; qdisc tbf { burts 20KiB; latency 50ms } }
}
