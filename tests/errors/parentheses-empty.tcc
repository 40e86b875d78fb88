link wan {
    device "eth0"
    bandwidth ()
    bandwidth min()
}
