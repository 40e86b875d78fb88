# No daemon: CAKE estimates what arrives.
link wan {
    device  "eth0"
    framing unknown
    role    router
    egress  { bandwidth 12mbit }
    ingress { qdisc cake { autorate-ingress } }
}
