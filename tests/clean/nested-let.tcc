let sync_down = 63.2mbit
let sync_up   = 12.7mbit
let margin    = 94%
let up        = margin of sync_up
let down      = (margin of sync_down) - 1mbit

link wan {
    device  "ptm0"
    framing bridged-ptm
    role    router
    egress  { bandwidth up }
    ingress { bandwidth down }
}
