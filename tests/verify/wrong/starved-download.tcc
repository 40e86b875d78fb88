# A fast download needs a slow upload for its acknowledgements.
link dsl {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 1mbit; tiers besteffort }
    ingress { bandwidth 60mbit; tiers besteffort }
}

workload evening { tcp download 4 flows; tcp upload 1 flow }

objective "the download gets its rate" {
    under   evening for 8s rtt 30ms
    require ingress utilisation >= 85%
}
