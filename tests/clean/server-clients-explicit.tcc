# On a server the other ends are the hosts: dual-dsthost is right on egress.
link uplink {
    device  "enp3s0"
    framing ethernet
    role    host
    egress  { bandwidth 900mbit; fairness dual-dsthost }
    ingress { bandwidth 900mbit; fairness dual-srchost }
}
