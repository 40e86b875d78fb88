# Send one second of pings through a shaped pair of devices; print what each of them took.
set -e
ip netns add far
ip link add near0 type veth peer name far0 netns far
ip address add 10.0.0.1/24 dev near0
ip link set near0 up
ip -n far address add 10.0.0.2/24 dev far0
ip -n far link set far0 up
ip -n far link set lo up
tc qdisc add dev near0 root cake bandwidth 1mbit
tc -n far qdisc add dev far0 root netem delay 20ms
ping -c 10 -i 0.1 -s 1000 10.0.0.2
tc -s qdisc show dev near0
date +%s.%N
od -An -tx1 -N16 /dev/urandom
