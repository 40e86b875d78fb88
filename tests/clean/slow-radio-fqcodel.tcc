# A narrow backhaul with a tbf: the target is longer than a packet.
link radio {
    device  "eth0"
    framing ethernet
    role    host
    egress {
        bandwidth 1mbit
        qdisc     tbf { burst 1600B; latency 250ms; inner fq_codel { target 19ms; interval 130ms } }
    }
}
