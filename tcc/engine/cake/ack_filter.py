"""CAKE's ACK filter: find the queued ACK that a new one makes superfluous.

It reads real header bytes.  Source: cake_ack_filter() and what it calls in
net/sched/sch_cake.c; CAKE specification section 5.4.  Sequence numbers and timestamps are
compared modulo 2**32.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.packet import PacketPool

if not cython.compiled:
    from tcc.engine.cake.rows import Segment
    from tcc.engine.constants import NIL
    from tcc.engine.packet import RAW_BYTES
    from tcc.engine.rows import Packet

    # The twelve bits beside the data offset.
    FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))
    ECN_FLAGS = ECE | CWR
    RESERVED = 0xF00

    TRIGGER, QUEUED = 0, 1  # the packet that has come, and the one it is compared with

    EOL, NOP, SACK, TIMESTAMP, MD5 = 0, 1, 5, 8, 19  # TCP options

M32 = 0xFFFFFFFF
SIGN = 0x80000000


class AckFilter:
    """Looks for superfluous ACKs in one queue at a time.

    Args:
        pool: where the packets and their header bytes are.
    """

    def __init__(self, pool: PacketPool) -> None:
        self.pool = pool
        self.before = NIL  # the packet queued before the one that `find` found
        if not cython.compiled:
            self.segments = [Segment(), Segment()]

    def find(self, head: cython.int, trigger: cython.int, aggressive: cython.bint) -> cython.int:
        """Return the queued packet that `trigger`, just queued as the last one, makes superfluous.

        NIL if there is none.  `before` is then the packet in front of it, NIL at the head.
        """
        rows: cython.pointer[Packet] = self.pool.rows
        packet: cython.int = head
        previous: cython.int = NIL
        eligible: cython.int = NIL
        before_eligible: cython.int = NIL
        eligible_flags: cython.int = 0
        found: cython.int = 0
        tsval: cython.uint = 0
        tsecr: cython.uint = 0
        flags: cython.int
        place: cython.int
        order: cython.int
        if head == trigger or not self.parse(trigger, TRIGGER):
            return NIL
        if self.segments[TRIGGER].flags & (ACK | SYN) != ACK:
            return NIL
        place = self.option(TRIGGER, TIMESTAMP)
        if place != NIL and self.pool.bytes[place + 1] == 10:
            tsval = self.word(place + 2)
            tsecr = self.word(place + 6)
        while packet != trigger and packet != NIL:
            if self.parse(packet, QUEUED) and self.same_connection():
                flags = self.segments[QUEUED].flags & ECN_FLAGS
                if eligible != NIL and flags != eligible_flags:
                    eligible = NIL
                    found -= 1
                if self.droppable(tsval, tsecr):
                    order = self.compare_sacks()
                    if order > 0 or (
                        order == 0
                        and self.segments[QUEUED].acknowledgement
                        != self.segments[TRIGGER].acknowledgement
                    ):
                        if eligible == NIL:
                            eligible = packet
                            before_eligible = previous
                            eligible_flags = flags
                        found += 1
                        if found > 1:
                            self.before = before_eligible
                            return eligible
            previous = packet
            packet = rows[packet].next
        if (
            aggressive
            and eligible != NIL
            and rows[eligible].next == trigger
            and eligible_flags == self.segments[TRIGGER].flags & ECN_FLAGS
        ):
            self.before = before_eligible
            return eligible
        return NIL

    def parse(self, packet: cython.int, which: cython.int) -> cython.bint:
        """Read a packet's headers; say whether it is TCP over IPv4, IPv6 or IPv6 in IPv4."""
        raw: cython.int = self.pool.rows[packet].raw
        if raw == NIL:
            return False
        start: cython.int = raw * RAW_BYTES
        end: cython.int = start + self.pool.raw_lengths[raw]
        at: cython.int = start + self.pool.rows[packet].network_offset
        inner: cython.int
        data = self.pool.bytes
        if at + 20 > end:
            return False
        if data[at] >> 4 == 4 and data[at + 9] == 6:
            inner = at + (data[at] & 15) * 4
            self.segments[which].version = 4
            self.segments[which].address = at + 12
            self.segments[which].address_length = 8
            self.segments[which].length = data[at + 2] * 256 + data[at + 3] - (data[at] & 15) * 4
        else:
            if data[at] >> 4 == 4:
                if data[at + 9] != 41:
                    return False
                at += (data[at] & 15) * 4
                if at + 40 > end or data[at] >> 4 != 6:
                    return False
            elif data[at] >> 4 != 6 or at + 40 > end:
                return False
            if data[at + 6] != 6:
                return False
            inner = at + 40
            self.segments[which].version = 6
            self.segments[which].address = at + 8
            self.segments[which].address_length = 32
            self.segments[which].length = data[at + 4] * 256 + data[at + 5]
        if inner + 20 > end or data[inner + 12] >> 4 < 5:
            return False
        self.segments[which].tcp = inner
        self.segments[which].tcp_length = (data[inner + 12] >> 4) * 4
        self.segments[which].ports = self.word(inner)
        self.segments[which].acknowledgement = self.word(inner + 8)
        self.segments[which].flags = (data[inner + 12] & 15) * 256 + data[inner + 13]
        return inner + self.segments[which].tcp_length <= end

    def word(self, place: cython.int) -> cython.uint:
        """Return the 32-bit number in network order at `place`."""
        data = self.pool.bytes
        high: cython.uint = data[place] * 256 + data[place + 1]
        low: cython.uint = data[place + 2] * 256 + data[place + 3]
        return high * 65536 + low

    def same_connection(self) -> cython.bint:
        """Say whether version, addresses and ports of the two are equal."""
        data = self.pool.bytes
        one: cython.int = self.segments[TRIGGER].address
        other: cython.int = self.segments[QUEUED].address
        place: cython.int
        if (
            self.segments[TRIGGER].version != self.segments[QUEUED].version
            or self.segments[TRIGGER].ports != self.segments[QUEUED].ports
        ):
            return False
        for place in range(self.segments[TRIGGER].address_length):
            if data[one + place] != data[other + place]:
                return False
        return True

    def droppable(self, tsval: cython.uint, tsecr: cython.uint) -> cython.bint:
        """Say whether the queued packet is a bare ACK that is not ahead of the trigger."""
        if self.segments[QUEUED].flags & (RESERVED | URG | ACK | PSH | RST | SYN | FIN) != ACK:
            return False
        if self.segments[QUEUED].length != self.segments[QUEUED].tcp_length:
            return False
        if (self.segments[TRIGGER].acknowledgement - self.segments[QUEUED].acknowledgement) & SIGN:
            return False
        return self.harmless_options(tsval, tsecr)

    def harmless_options(self, tsval: cython.uint, tsecr: cython.uint) -> cython.bint:
        """Say whether nothing is lost with the queued packet's options.

        A timestamp newer than the trigger's would be.  An option that is cut off ends the list.
        """
        data = self.pool.bytes
        place: cython.int = self.segments[QUEUED].tcp + 20
        left: cython.int = self.segments[QUEUED].tcp_length - 20
        kind: cython.int
        size: cython.int
        while left > 0:
            kind = data[place]
            if kind == EOL:
                return True
            if kind == NOP:
                place += 1
                left -= 1
                continue
            if left < 2:
                return True
            size = data[place + 1]
            if size < 2 or size > left:
                return True
            if kind == SACK:
                if size % 8 != 2:
                    return False
            elif kind == TIMESTAMP:
                if size != 10:
                    return False
                if (tsval - self.word(place + 2)) & SIGN:
                    return False
                if (tsecr - self.word(place + 6)) & SIGN:
                    return False
            elif kind != MD5:
                return False
            place += size
            left -= size
        return True

    def option(self, which: cython.int, kind: cython.int) -> cython.int:
        """Return where the first TCP option of a kind is, NIL if there is none."""
        data = self.pool.bytes
        place: cython.int = self.segments[which].tcp + 20
        left: cython.int = self.segments[which].tcp_length - 20
        size: cython.int
        while left > 0:
            if data[place] == EOL:
                return NIL
            if data[place] == NOP:
                place += 1
                left -= 1
                continue
            if left < 2:
                return NIL
            size = data[place + 1]
            if size < 2 or size > left:
                return NIL
            if data[place] == kind:
                return place
            place += size
            left -= size
        return NIL

    def compare_sacks(self) -> cython.int:
        """Say whether the trigger tells more (1), the same (0) or less (-1) with its SACKs.

        A queued duplicate SACK always tells something that the trigger does not.
        """
        data = self.pool.bytes
        queued: cython.int = self.option(QUEUED, SACK)
        trigger: cython.int = self.option(TRIGGER, SACK)
        queued_blocks: cython.int = 0
        trigger_blocks: cython.int = 0
        one: cython.int
        other: cython.int
        covered: cython.bint
        start: cython.uint
        end: cython.uint
        queued_bytes: cython.uint = 0
        trigger_bytes: cython.uint = 0
        begins: cython.uint
        ends: cython.uint
        if queued != NIL:
            queued_blocks = (data[queued + 1] - 2) // 8
        if trigger != NIL:
            trigger_blocks = (data[trigger + 1] - 2) // 8
        if queued_blocks > 0 and trigger_blocks == 0:
            return -1
        if queued_blocks == 0:
            return 1 if trigger_blocks > 0 else 0
        for other in range(trigger_blocks):
            trigger_bytes = (
                trigger_bytes
                + self.word(trigger + 6 + 8 * other)
                - self.word(trigger + 2 + 8 * other)
            ) & M32
        for one in range(queued_blocks):
            start = self.word(queued + 2 + 8 * one)
            end = self.word(queued + 6 + 8 * one)
            if (start - self.segments[QUEUED].acknowledgement) & SIGN:
                return -1
            queued_bytes = (queued_bytes + end - start) & M32
            covered = False
            for other in range(trigger_blocks):
                begins = self.word(trigger + 2 + 8 * other)
                ends = self.word(trigger + 6 + 8 * other)
                if not ((start - begins) & SIGN or (ends - end) & SIGN):
                    covered = True
            if not covered:
                return -1
        return 1 if trigger_bytes > queued_bytes else 0
