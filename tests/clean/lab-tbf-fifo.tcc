# What not to do, on purpose.
link line {
    device "veth0"
    egress {
        bandwidth 10mbit
        # tcc: allow fifo-blocks-head because the experiment measures it
        qdisc tbf { burst 16KiB; latency 200ms }
    }
}

objective "it is full" {
    under   tcp_nup for 20s rtt 40ms
    require egress utilisation >= 90%
}
