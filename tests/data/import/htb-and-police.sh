#!/bin/bash
# As the wonder shaper does it: classes up, a policer down (wondershaper issues 91 and 102).
IFACE=eth0; DOWN=20000; UP=2000
tc qdisc add dev $IFACE root handle 1: htb default 20 r2q 1
tc class add dev $IFACE parent 1: classid 1:1 htb rate ${UP}kbit prio 5
tc class add dev $IFACE parent 1:1 classid 1:10 htb rate $((UP * 40 / 100))kbit ceil ${UP}kbit prio 1
tc qdisc add dev $IFACE parent 1:10 handle 10: fq_codel quantum 6000
tc qdisc add dev $IFACE handle ffff: ingress
tc filter add dev $IFACE parent ffff: protocol all u32 match u32 0 0 police rate ${DOWN}kbit burst 10k drop flowid :1
