# A cap with a short queue.
link uplink {
    device "eth0"
    role   host
    egress {
        bandwidth 250mbit
        qdisc     tbf { burst auto; latency 15ms; inner fq_codel { target 3ms; interval 60ms } }
    }
}
