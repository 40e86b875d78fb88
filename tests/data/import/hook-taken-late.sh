#!/bin/bash
# After github.com/jtrugman/blink-router, htb/NOT-WORKING/upHTB.sh: root first, then `del ingress`
int1="eth0"
tin1="ifb0"
modprobe ifb numifbs=1
tc qdisc del root dev $int1
tc qdisc add dev $int1 root handle 1: htb default 20
	tc class add dev $int1 parent 1: classid 1:1 htb rate 3000kbit
	for i in $(seq 1 255); do
		tc class add dev $int1 parent 1:1 classid 1:1$i htb rate 3000kbit ceil 5000kbit
	done
tc qdisc del dev $int1 handle ffff: ingress
tc qdisc del dev $int1 ingress
tc qdisc add dev $int1 handle ffff: ingress
tc filter add dev $int1 parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev $tin1
tc qdisc add dev $tin1 root cake bandwidth 3mbit ingress
tc -s qdisc ls dev $3
