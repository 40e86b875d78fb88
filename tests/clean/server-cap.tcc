# A hosting contract of 500 Mbit/s.
link uplink {
    device  "eth0"
    framing ethernet
    role    host
    egress  { bandwidth 495mbit; fairness per-host; tiers besteffort }
}
