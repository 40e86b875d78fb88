#!/bin/sh
# The pattern of many public set-up scripts.
uci -q delete sqm.eth1
uci set sqm.wan=queue
uci set sqm.wan.interface='wan'
uci set sqm.wan.qdisc='cake'
uci set sqm.wan.script='piece_of_cake.qos'
uci set sqm.wan.download='450000'
uci set sqm.wan.upload='45000'
uci set sqm.wan.linklayer='ethernet'
uci set sqm.wan.overhead='44'
uci set sqm.wan.eqdisc_opts='nat dual-srchost ack-filter'
uci set sqm.wan.iqdisc_opts='nat dual-dsthost ingress'
uci commit sqm
/etc/init.d/sqm enable
