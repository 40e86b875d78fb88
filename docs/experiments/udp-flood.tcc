# 64-byte packets at 0.75 Mpps through CAKE's root lock, by kernel.
link dut {
    device  "enp7s0np1"
    framing { overhead 18B; mpu 64B }
    egress {
        bandwidth unlimited
        tiers     besteffort
        fairness  flows
    }
}

# 6 x 22 Mbit/s of 22-byte payload are 750,000 frames of 64 bytes a second
workload small { udp upload 6 flows 22mbit each payload 22B }

testbed busylock { kernel "baseline-busylock"; host "xeon-6209u-debug" }
testbed llist    { kernel "llist"; host "xeon-6209u-debug" }
testbed now      { kernel "linux-7.3"; host "xeon-6209u-debug" }

objective "each sender for itself: 0.468 Mpps" {
    on      busylock
    under   small for 3s rtt 1ms
    require egress goodput >= 82mbit
}

objective "a list, drops freed under the lock: the collapse" {
    on      llist
    under   small for 6s rtt 1ms
    require egress goodput <= 30mbit
}

objective "drops freed outside it: half of what comes" {
    on      now
    under   small for 6s rtt 1ms
    require egress goodput >= 60mbit
}
