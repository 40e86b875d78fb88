link wan {
    device "eth0"
    egress { memory 5GiB }
}
