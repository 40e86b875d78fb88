# Two gigabit ports in one bond towards a switch.
link bond { device "bond0"; framing ethernet; role host; egress { bandwidth 1.9gbit; qdisc cake } }
