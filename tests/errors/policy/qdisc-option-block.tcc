link wan {
    device "eth0"
    egress { bandwidth 5mbit; qdisc tbf { burst 20KiB { a } } }
}
