# As an administrator who thinks in tc would write it.
link wan {
    device "eth0"
    role   router
    egress {
        bandwidth 18mbit
        qdisc cake {
            diffserv4
            dual-srchost
            nat
            wash
            ack-filter
            rtt      60ms
            overhead 38B
            mpu      84B
        }
    }
    ingress {
        bandwidth 90mbit
        qdisc     cake { besteffort; dual-dsthost; nat; ingress; overhead 38B; mpu 84B }
    }
}
