link wan {
    device "eth0"
    bandwidth 10mbit @ 5
    $rtt 5ms
    rtt ?
}
