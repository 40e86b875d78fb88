link wan {
    bandwidth 100Mbps
    rtt 50µs
    tiers diffserv4,
    memory 4 MB
    overhead ,
    framing ethernet +
}

let x = (5mbit
let y = 3mbit)
let z = "open
