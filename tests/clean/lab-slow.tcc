# Two namespaces and a veth pair that plays an old ADSL line.
link line {
    device  "veth0"
    framing pppoe-llcsnap
    egress  { bandwidth 1mbit; tiers diffserv4 }
}

objective "rrul" {
    under   rrul for 60s rtt 80ms
    require egress utilisation >= 90%
    require egress ping induced-latency p99 <= 60ms
}
