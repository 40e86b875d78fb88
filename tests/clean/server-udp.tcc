link uplink {
    device "eth0"
    role   host
    egress {
        bandwidth    200mbit
        qdisc        tbf { burst 64KiB; latency 40ms; inner sfq }
        backpressure udp { senders 8 }
    }
}

workload flood { udp upload 8 flows 100mbit each payload 1400B }

objective "nothing is lost" {
    under   flood for 10s
    require egress utilisation >= 98%
    require flood loss <= 1%
}
