# A backup server that leaves room for everybody else at night.
param night : rate = 600mbit

link uplink {
    device  "bond0"
    framing ethernet
    role    host
    egress  { bandwidth night; tiers diffserv3 }
}

tier bulk  { match tcp remote port 22, 873; match dscp cs1 }
tier voice { match tcp local port 53; match udp local port 53 }
