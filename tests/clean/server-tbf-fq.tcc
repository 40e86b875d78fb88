link uplink {
    device "ens3"
    role   host
    egress { bandwidth 100mbit; qdisc tbf { burst auto; latency 20ms; inner fq_codel } }
}
