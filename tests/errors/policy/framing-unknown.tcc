link wan {
    device "eth0"
    framing pppoe-ptn
}
