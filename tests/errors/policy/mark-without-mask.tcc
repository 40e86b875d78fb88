link wan {
    device "eth0"
    egress { mark 0xff }
}
