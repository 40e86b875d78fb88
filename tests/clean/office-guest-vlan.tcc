# Guests get a tenth, on their own bridge; the line itself is shaped where it leaves.
let line = 280mbit

link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 93% of line; fairness per-host }
}

link guests {
    device  "br-guest"
    framing ethernet
    role    router facing hosts
    egress  { bandwidth 10% of line; fairness per-host }
}
