# A tunnel and the line that carries it share an ifb: packets count twice (sch_cake issue 28).
ip link add name ifb0 type ifb
tc qdisc add dev ifb0 root cake bandwidth 50mbit ingress
tc qdisc add dev ppp0 handle ffff: ingress
tc filter add dev ppp0 parent ffff: protocol all matchall action mirred egress redirect dev ifb0
tc qdisc add dev tun0 handle ffff: ingress
tc filter add dev tun0 parent ffff: protocol all matchall action mirred egress redirect dev ifb0
