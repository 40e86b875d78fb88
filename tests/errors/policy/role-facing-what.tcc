link wan {
    device "eth0"
    role router facing internet
}
