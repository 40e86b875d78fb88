# What containers may send out together, and each bridge what it may receive.
link out {
    device  "eth0"
    framing ethernet
    role    bridge
    egress  { bandwidth 900mbit; fairness per-host; tiers besteffort }
}

link web {
    device  "br-4f2a9c31e0aa"
    framing raw
    role    bridge facing hosts
    egress  { bandwidth 300mbit; fairness per-host }
}
