# A geostationary satellite: the round trip is 600 ms whatever one does.
link sat {
    device  "eth1"
    framing ethernet
    role    router
    rtt     650ms
    egress  { bandwidth 2700kbit; tiers diffserv4; fairness per-host; ack-filter on }
    ingress { bandwidth 22mbit; tiers diffserv4; fairness per-host }
}

objective "mail goes out while somebody downloads" {
    under   rrul for 60s rtt 620ms
    require egress utilisation >= 70%
}
