# A congress for three days: 3000 people, one 10 Gbit/s wave.
let wave = 10gbit

link wan {
    device  "ens1"
    framing ethernet
    role    router
    egress  { bandwidth 94% of wave; tiers besteffort; qdisc cake_mq }
}

link stage {
    device  "ens2.77"
    framing ethernet + vlan
    role    router facing hosts
    egress  { bandwidth 200mbit; tiers diffserv4 }
}

tier stream as video { match local subnet 10.77.0.0/24 }
