#!/bin/sh
# A size table under a cake that counts overhead itself (qosmate pull request 125).
WAN=eth1
tc qdisc add dev "$WAN" root stab overhead 40 linklayer ethernet handle 1: cake bandwidth 45000kbit diffserv4 overhead 40
