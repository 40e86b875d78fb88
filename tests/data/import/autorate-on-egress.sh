# The estimator on egress (cakeqos-merlin issue 42).
tc qdisc replace dev eth1 root cake bandwidth 2mbit autorate-ingress diffserv3
