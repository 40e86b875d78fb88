# Video to many, within 2 Gbit/s; DSCP of the packets is nobody's business outside.
link uplink {
    device  "ens6"
    framing ethernet
    role    host
    egress  { bandwidth 1.9gbit; tiers besteffort; fairness per-flow; dscp wash; qdisc cake_mq }
}
