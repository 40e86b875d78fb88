# A FIFO of a tenth of the path, as in a textbook.
link bottleneck {
    device "veth-r"
    egress { bandwidth 20mbit; qdisc tbf { burst auto; latency 20ms; inner bfifo } }
}
