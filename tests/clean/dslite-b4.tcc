# IPv4 in IPv6 to the provider's AFTR: what is masqueraded is theirs.
link wan {
    device   "eth0"
    framing  docsis
    role     bridge
    fairness per-host
    egress   { bandwidth 48mbit; ack-filter on }
    ingress  { bandwidth 480mbit }
}
