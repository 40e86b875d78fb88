link wan {
    device "eth0"
    bandwidth avg(10mbit, 20mbit)
    bandwidth 10mbit within(5mbit)
}
