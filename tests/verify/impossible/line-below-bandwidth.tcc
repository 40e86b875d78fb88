link wan {
    device  "eth0"
    framing pppoe-ptm
    role    router
    egress  { bandwidth 10mbit; tiers diffserv4 }
    ingress { bandwidth 50mbit; tiers diffserv4 }
}

testbed line { beyond 20mbit }

objective "the shaper is the bottleneck" { on line; under rrul for 5s; require ingress utilisation >= 90% }
