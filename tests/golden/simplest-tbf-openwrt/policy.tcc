# A token bucket with fq_codel inside: `simplest_tbf.qos`.
link wan {
    device  "eth1"
    framing { overhead 22B; mpu 68B }
    egress { bandwidth 5mbit; qdisc tbf { inner fq_codel } }
}
