"""The host around the qdisc: transmit queues, byte queue limits, NIC, processors, locks."""
