# One qdisc on the LAN bridge for downloads, one on the WAN for uploads: no ifb.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 18mbit; fairness per-host; tiers diffserv4 }
}

link lan {
    device  "br-lan"
    framing ethernet
    role    router facing hosts
    egress  { bandwidth 90mbit; fairness per-host; qdisc cake { diffserv4; ingress } }
}
