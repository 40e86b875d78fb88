link wan {
    device "eth0"
    egress {
        bandwidth 10mbit

# the other line
link lan {
    device "eth1"
}
