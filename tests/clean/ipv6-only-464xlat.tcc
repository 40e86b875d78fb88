# IPv6 only, with CLAT for the rest: nothing is masqueraded on the line itself.
link wan {
    device   "eth0"
    framing  ethernet
    role     bridge
    fairness per-host
    tiers    diffserv4
    egress   { bandwidth 475mbit }
    ingress  { bandwidth 950mbit }
}

tier calls as voice { match local subnet 2001:db8:20::/64 udp local port 5060, 16384..16484 }
