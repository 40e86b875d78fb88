let a = 5
link wan {
    device "eth0"
    bandwith 10mbit
    framing pppoe-ptn
    egress { bandwidth a; tiers diffserv5; rtt 10 }
}
tier calls { match dscp eff }
