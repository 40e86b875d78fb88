# As above, in tc's words.
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 190mbit; qdisc cake { diffserv4; dual-srchost; nonat } }
}

tier mail as bulk { match local subnet 203.0.113.16/28 tcp port 25 }
