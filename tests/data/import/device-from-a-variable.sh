#!/bin/sh
# After github.com/azuwis/openwrt-config, remote-090-sqm.sh, and its own wired device beside it
network_get_device iface_wan wan
uci batch <<EOF
set sqm.wan=queue
set sqm.wan.interface='${iface_wan}'
set sqm.wan.script='piece_of_cake.qos'
EOF
uci set sqm.lan=queue
uci set sqm.lan.interface=eth1
uci set sqm.lan.script=layer_cake.qos
uci set sqm.lan.qdisc=cake
uci set sqm.lan.download=0
uci set sqm.lan.upload=20000
