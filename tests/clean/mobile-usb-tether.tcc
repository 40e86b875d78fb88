link phone {
    device  "usb0"
    framing unknown
    role    router
    egress  { bandwidth 8mbit within 1mbit..30mbit }
    ingress { bandwidth 30mbit within 2mbit..120mbit }
}
