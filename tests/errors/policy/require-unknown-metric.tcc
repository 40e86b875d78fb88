link wan { device "eth0"; egress { bandwidth 10mbit } }
objective "x" {
    under rrul for 10s
    require speed >= 5mbit
}
