# Two bonded VDSL2 lines look like one PTM interface.
let each_up   = 38mbit
let each_down = 105mbit

link wan {
    device  "ptm0"
    framing bridged-ptm
    role    router
    egress  { bandwidth 92% of (2 * each_up); fairness per-host }
    ingress { bandwidth 88% of (2 * each_down); fairness per-host }
}
