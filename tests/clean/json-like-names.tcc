# Names with hyphens and dots, in several units.
let contract.up = 12.5MB/s
let reserve-for-voice = 600kbit

link wan-1 {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth contract.up - reserve-for-voice }
    ingress { bandwidth min(2 * contract.up, 200mbit) }
}
