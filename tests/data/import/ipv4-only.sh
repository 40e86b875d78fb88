# Only IPv4 is redirected.
modprobe ifb numifbs=1
ip link set dev ifb0 up
tc qdisc add dev eth0 root handle 1: cake bandwidth 18mbit
tc qdisc add dev eth0 handle ffff: ingress
tc filter add dev eth0 parent ffff: protocol ip u32 match u32 0 0 action mirred egress redirect dev ifb0
tc qdisc add dev ifb0 root handle 1: cake bandwidth 90mbit ingress
