link wan { device "eth0"; egress { bandwidth 10mbit } }
objective "x" {
    under rrul for 10s
    require ping goodput >= 1mbit
}
