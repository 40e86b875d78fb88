# 25 Gbit/s to the home: shaped a little below what the optics do.
link wan {
    device  "enp1s0f0"
    framing ethernet
    role    router
    egress  { bandwidth 24gbit; tiers besteffort; qdisc cake_mq }
}
