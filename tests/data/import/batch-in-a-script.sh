#!/bin/sh
# After github.com/Sersium/GL-MT6000, files/etc/uci-defaults/96_sqm_config: download 0, all options
uci -q batch <<'EOF'
	set sqm.wan=queue
	set sqm.wan.interface='pppoe-wan'
	set sqm.wan.enabled='1'
	set sqm.wan.download='0'
	set sqm.wan.upload='945000'
	set sqm.wan.qdisc='cake'
	set sqm.wan.script='layer_cake.qos'
	set sqm.wan.linklayer='ethernet'
	set sqm.wan.overhead='34'
	set sqm.wan.eqdisc_opts='diffserv4 nat dual-srchost mpu 64 ack-filter no-split-gso wash'
	commit sqm
EOF
/etc/init.d/sqm restart
