link prefer {
    device "eth0"
}
let of = 5mbit
