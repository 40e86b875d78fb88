# Backups are marked LE at the source; that is bulk by itself.
link wan {
    device  "ens2f1"
    framing ethernet + vlan
    role    bridge
    egress  { bandwidth 4.7gbit; tiers diffserv3; qdisc cake }
}

workload night { tcp upload 4 flows dscp le; ping interval 50ms }
objective "backups run" { under night for 20s rtt 12ms; require egress utilisation >= 90% }
