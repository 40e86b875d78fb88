# A storage server: no client may take more than its share of 10 Gbit/s.
link port {
    device  "enp65s0f0"
    framing ethernet
    role    host
    egress  { bandwidth 9.4gbit; qdisc cake_mq; rtt datacentre }
}
