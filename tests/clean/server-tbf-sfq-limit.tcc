link uplink {
    device "eth0"
    role   host
    egress { bandwidth 40mbit; qdisc tbf { burst 32KiB; limit 256KiB; inner sfq { perturb 30s } } }
}
