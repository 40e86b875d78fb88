# Fair between clients on the way out, and the nightly mirror in the background.
link uplink {
    device  "eno1"
    framing ethernet
    role    host
    egress  { bandwidth 480mbit; tiers diffserv3; fairness per-host }
}

tier bulk { match tcp remote port 873; match dscp le, cs1 }
