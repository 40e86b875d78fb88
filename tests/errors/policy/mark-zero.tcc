link wan {
    device "eth0"
    egress { mark mask 0 }
}
