# After tangentsoft.com, "Configuring CAKE on RouterOS": an export names a menu, and goes on
/queue type
add cake-diffserv=besteffort cake-flowmode=dual-dsthost cake-nat=yes \
    cake-overhead=0 cake-overhead-scheme="" cake-rtt-scheme=regional kind=cake name=\
    cake-rx
add cake-ack-filter=filter cake-diffserv=besteffort cake-flowmode=dual-srchost \
    cake-nat=yes cake-overhead-scheme=ethernet,ether-vlan cake-rtt-scheme=regional kind=cake \
    name=cake-tx
/queue simple
add max-limit=256M/24M name=queue1 queue=cake-rx/cake-tx target=ether1 total-queue=default
