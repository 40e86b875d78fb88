# A server whose own UDP senders outrun a 500 Mbit/s cap.
link uplink {
    device "eth0"
    role   host  # all senders are local sockets
    egress {
        bandwidth 500mbit
        qdisc tbf {
            burst   20KiB
            latency 50ms
            inner   sfq
        }
        backpressure udp {
            interval 100ms  # the RFC's sysctl, where a kernel has it
            senders  16     # else: size the inner queue so that senders block
        }
    }
}

workload flood { udp upload 16 flows 1gbit each payload 1470B }

objective "senders block instead of losing" {
    under   flood for 15s
    require egress utilisation >= 99%
    require flood loss <= 2%
    require flow fairness >= 0.99
}
