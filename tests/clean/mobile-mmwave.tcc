# 5G in the millimetre band.
link fwa {
    device  "eth1"
    framing unknown
    role    router
    egress  { bandwidth 140mbit within 20mbit..250mbit }
    ingress { bandwidth 1.4gbit within 100mbit..2.5gbit }
}
