link wan {
    device "eth0"
    role host facing hosts
}
