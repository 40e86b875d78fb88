# A call waits behind everybody's packets.
link wan {
    device  "eth0"
    framing raw
    role    router
    egress  { bandwidth 10mbit; qdisc tbf { burst 4KiB; latency 25ms; inner bfifo } }
}

workload busy { tcp upload 4 flows; voip 1 call as call }

objective "calls are not delayed" {
    under   busy for 6s rtt 20ms
    require call induced-latency p99 <= 10ms
}
