link wan { device "eth0"; egress { bandwidth 10mbit } }
tier voice { match dscp ef }
objective "x" {
    under rrul for 10s
    require voise loss <= 1%
}
