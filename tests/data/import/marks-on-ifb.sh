# Marks are set in netfilter, after the ifb (sch_cake issue 157).
tc qdisc add dev ifb0 root handle 1: cake bandwidth 80mbit ingress diffserv4
tc filter add dev ifb0 parent 1: protocol all handle 0x51/0xffff fw classid 1:3
tc qdisc add dev wan ingress
tc filter add dev wan parent ffff: protocol all matchall action mirred egress redirect dev ifb0
