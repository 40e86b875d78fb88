param up       : rate
param down     : rate
param port     : device
param site_rtt : duration = 30ms

link wan {
    device  port
    framing ethernet
    role    router
    rtt     site_rtt
    egress  { bandwidth up; tiers diffserv4 }
    ingress { bandwidth down; tiers diffserv4; dscp wash }
}

tier voice { match dscp ef }
