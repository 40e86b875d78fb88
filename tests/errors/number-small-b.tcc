link wan {
    device "eth0"
    memory 64kb
    memory 64mb
    memory 64b
}
