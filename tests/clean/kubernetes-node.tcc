link uplink {
    device  "ens5"
    framing ethernet
    role    host
    egress  { bandwidth 4.9gbit; tiers besteffort; qdisc auto; gso auto }
}
