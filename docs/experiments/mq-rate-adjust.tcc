# cake_mq at 2 Gbit/s on eight queues: one policy, three kernels.
profile vm {
    device "veth0"
    role   host
    egress { bandwidth 2gbit; tiers besteffort; qdisc cake_mq }
}

link wan : vm {
    framing raw
}

testbed before  { kernel "before-15c2715a5264"; host "veth-vm-8cpu" }
testbed purging { kernel "net-next-15c2715a5264"; host "veth-vm-8cpu" }
testbed fixed   { kernel "a3729e0df005-or-later"; host "veth-vm-8cpu" }

objective "before: the shaper's rate" {
    on      before
    under   tcp_nup 32 flows for 2s rtt 0.05ms
    require egress goodput >= 1.86gbit
}

objective "scans that purge unused tins take two thirds of the processors" {
    on      purging
    under   tcp_nup 32 flows for 2s rtt 0.05ms
    require egress goodput <= 1.29gbit
}

objective "fixed: the shaper's rate again" {
    on      fixed
    under   tcp_nup 32 flows for 2s rtt 0.05ms
    require egress goodput >= 1.86gbit
}
