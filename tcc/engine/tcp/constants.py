"""Numbers that the parts of TCP agree on.

`constants.pxd` says the same to the C compiler; `tests/engine/traffic/test_rows.py` compares them.
"""

from __future__ import annotations

# What the sender knows of a segment in flight.
SACKED = 1  # delivered out of order
LOST = 2
RETRANS = 4  # a retransmission of it is in flight
EVER = 8  # it was retransmitted at some time
FIRST = 16  # a super-packet starts here

# States of the sender (tcp(7): TCP_CA_*).
OPEN = 0
DISORDER = 1
CWR = 2
RECOVERY = 3
LOSS = 4

# What one acknowledgement was found to say.
ACKED = 1  # data, cumulatively
ADVANCED = 2  # the first unacknowledged segment moved
SACKS = 4  # data, selectively
ECE = 8
ORIGINAL = 16  # data that was never retransmitted, sent before recovery began
RETRANS_ACKED = 32
LOST_RETRANS = 64
DUPLICATE = 128  # reports a duplicate arrival (RFC 2883)
DUPLICATE_PROBE = 256  # ... of the tail loss probe
WINDOW = 512
SET_TIMER = 1024
MAYBE_DELAYED = 2048
RENEGED = 4096

# What to send after an acknowledgement has been worked on.
NOTHING = 0
REPAIR = 1  # lost segments
FRESH = 2  # new data first (F-RTO)

# What the retransmission timer waits for.
IDLE = 0
TIMEOUT = 1
PROBE = 2
REORDER = 3

# Flags of a packet on its way.
SYN = 1
ACK = 2
PUSH = 4
ECHO = 8  # ECE
REDUCED = 16  # CWR
FIN = 32
LOCAL = 64  # its socket is on the host that shapes

# What a packet is, its `kind`.
DATA = 1
PURE_ACK = 2
UDP = 3
PING = 4
PONG = 5

JIFFY = 1000000  # ns
SECOND = 1000000000  # ns
INFINITE = 0x7FFFFFFF  # no slow start threshold, no window
HEADER = 66  # bytes before the payload: Ethernet, IPv4, TCP with timestamps
SEGMENT = 1448  # payload of a full segment at an MTU of 1500

TIMER_RETRANSMIT = 1
TIMER_PACE = 2
TIMER_START = 3
TIMER_DELAYED_ACK = 4
TIMER_COMPRESSED_ACK = 5
TIMER_TICK = 6
TIMER_ESTABLISHED = 7
WRITTEN = 44  # segments that the application's writes are gathered in
TIMER_GREETED = 8
TIMER_TURN = 10  # the receiving application has its processor

HEAD = 896  # memory of a packet beside its payload: struct sk_buff, room for headers, shared info

PRESSED = 100  # a host's qdisc answered a packet with something else than success
CUT = 101  # a host's qdisc cut a super-packet into so many segments
