# A web server whose contract counts what it sends.
link uplink {
    device  "eth0"
    framing ethernet
    role    host
    egress  { bandwidth 950mbit; tiers besteffort; fairness per-host; rtt 60ms }
}
