"""Numbers that every part of the engine agrees on.

`constants.pxd` says the same to the C compiler; `tests/engine/test_base.py` compares the two.
"""

from __future__ import annotations

NIL = -1  # no packet, no row, no slot
NEVER = -1  # no time: nothing is armed

# What enqueue answers; NET_XMIT_* of the kernel (include/linux/netdevice.h).
OK = 0
DROP = 1  # this packet was dropped
CN = 2  # taken, but the flow it belongs to lost a packet: congestion

# The network layer of a packet, as far as a qdisc can see it.
OTHER = 0  # DSCP counts as 0 and there is nothing to mark
IPV4 = 4
IPV6 = 6
ARP = 8

# Two lowest bits of the TOS byte (RFC 3168).
NOT_ECT = 0
ECT_1 = 1
ECT_0 = 2
CE = 3

# Why a packet left a qdisc without being delivered (enum skb_drop_reason,
# include/net/dropreason-core.h and dropreason-qdisc.h, in lower case).
QDISC_DROP = 0
OVERLIMIT = 1
CONGESTED = 2
FLOOD_PROTECTION = 3
QUEUE_PURGE = 4
ACK_FILTER = 5  # the kernel frees it as consumed
GSO_SPLIT = 6  # not lost: replaced by its segments; the kernel frees it as consumed
FLOW_LIMIT = 7
BAND_LIMIT = 8
HORIZON_LIMIT = 9
TOO_LONG = 10  # longer than the qdisc can ever send
UNCLASSIFIED = 11
REASONS = 12
REASON_NAMES = (
    "qdisc_drop",
    "overlimit",
    "congested",
    "flood_protection",
    "queue_purge",
    "ack_filter",
    "gso_split",
    "flow_limit",
    "band_limit",
    "horizon_limit",
    "too_long",
    "unclassified",
)
