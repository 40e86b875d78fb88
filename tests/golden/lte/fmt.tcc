# A mobile link whose rate moves: shape within bounds and hand the pacing to an autorate daemon.
link lte {
    device  "wwan0"
    framing unknown  # conservative overhead, and the plan says so
    egress  { bandwidth 10mbit within 2mbit..30mbit; tiers diffserv3 }
    ingress { bandwidth 40mbit within 5mbit..120mbit; tiers diffserv3; dscp keep }
}
