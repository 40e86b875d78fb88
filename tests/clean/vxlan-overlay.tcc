# Tenants' overlay: 50 bytes around each frame.
link overlay {
    device  "vxlan42"
    framing { overhead 88B; mpu 134B }
    role    bridge facing hosts
    egress  { bandwidth 5gbit; tiers besteffort; fairness per-flow }
}
