# One policy for every subscriber interface; the provisioning system fills it in.
param port : device
param down : rate
param up   : rate

link subscriber {
    device  port
    framing ethernet + vlan
    role    bridge facing hosts
    egress  { bandwidth down; fairness per-host }
    ingress { bandwidth up; fairness per-host }
}
