# For a router whose system has no AQM of its own.
link wan {
    device  "ether1"
    framing ethernet
    role    router
    egress  { bandwidth 95mbit; prefer rtt 40ms; prefer memory 8MiB; prefer dscp keep }
}
