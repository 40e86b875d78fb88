link wan {
    device "eth0"
}
}
let x = 5mbit
