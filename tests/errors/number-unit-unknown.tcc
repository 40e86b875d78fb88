link wan {
    device "eth0"
    bandwidth 100bananas
    queues 4flows
}
