link wan {
    device "eth0" # ‮ } if this is read ⁦
}
