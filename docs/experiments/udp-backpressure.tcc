# Sixteen local UDP senders of 1 Gbit/s each under a 500 Mbit/s cap, with the RFC of 2022.
profile sender {
    device "eth0"
    role   host
}

link fair : sender {
    egress {
        bandwidth 500mbit
        qdisc tbf {
            burst   20KiB
            latency 50ms
            inner   sfq { limit 127 }
        }
        prefer backpressure udp { interval 100ms }
    }
}

link unfair : sender {
    device "eth1"
    egress {
        bandwidth 500mbit
        qdisc tbf {
            burst   20KiB
            latency 50ms
            inner   bfifo { limit 128KiB }
        }
        prefer backpressure udp { interval 100ms }
    }
}

workload flood { udp upload 16 flows 1gbit each payload 1470B }

testbed today { host "ye-2022" }
testbed rfc   { host "ye-2022"; socket-backpressure rfc }

objective "without back-pressure nearly everything is dropped" {
    on      today
    over    fair
    under   flood for 5s rtt 0.1ms
    require egress utilisation >= 99%
    require egress flood loss >= 96%
}

objective "with it senders wait, and share evenly under sfq" {
    on      rfc
    over    fair
    under   flood for 15s rtt 0.1ms
    require egress utilisation >= 99%
    require egress flood loss <= 1.2%
    require flow fairness >= 0.99
}

objective "under a plain FIFO they wait, and do not share" {
    on      rfc
    over    unfair
    under   flood for 15s rtt 0.1ms
    require egress flood loss <= 0.5%
    require flow fairness <= 0.95
}
