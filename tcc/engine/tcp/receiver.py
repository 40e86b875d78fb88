# cython: cdivision=True
"""The receiving side of a TCP connection: when it acknowledges, and how much it offers.

The application reads whatever has come at once.  Sources: tcp_data_queue(),
__tcp_ack_snd_check(), tcp_event_data_recv(), tcp_rcvbuf_grow() and tcp_sack_new_ofo_skb() of
net/ipv4/tcp_input.c, __tcp_select_window() and tcp_send_delayed_ack() of net/ipv4/tcp_output.c,
__tcp_cleanup_rbuf() of net/ipv4/tcp.c; RFC 2018, 2883, 3168, 5681, 7323.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from typing import TYPE_CHECKING

from tcc.engine.events import Schedule
from tcc.engine.sink import Endpoint, Sink
from tcc.engine.tcp.options import OptionPool

if TYPE_CHECKING:
    from collections.abc import Sequence

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
else:
    from tcc.engine.constants import CE, NEVER, NIL, NOT_ECT
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import (
        ACK,
        ECHO,
        HEAD,
        HEADER,
        JIFFY,
        PURE_ACK,
        PUSH,
        REDUCED,
        SEGMENT,
        TIMER_COMPRESSED_ACK,
        TIMER_DELAYED_ACK,
        TIMER_TICK,
        TIMER_TURN,
    )
    from tcc.engine.tcp.rows import BlocksRow

    SCHEDULED = 1
    TIMER = 2
    PUSHED = 4
    PUSHED_TWICE = 8
    AT_ONCE = 16
    LEAST_ATO = 40
    GREATEST_ATO = 200


class Receiver(Endpoint):
    """A TCP receiver.

    Args:
        schedule: the simulation's events.
        port: where its acknowledgements go.
        flow: the number of its flow.
        hashes: of the flow, its source, its destination, in its direction.
        options: where SACK options lie.
        tos: DSCP of its acknowledgements.
        ecn: both ends agreed on ECN.
        local: its host is the one that shapes.
        greatest_buffer: bytes that the receive buffer may grow to (tcp_rmem).
    """

    def __init__(
        self,
        schedule: Schedule,
        port: Sink,
        flow: int,
        hashes: tuple[int, int, int],
        options: OptionPool,
        tos: int = 0,
        ecn: bool = False,
        local: bool = False,
        greatest_buffer: int = 6291456,
    ) -> None:
        Endpoint.__init__(self, schedule, port, flow, hashes, tos & 0xFC, local)
        self.options = options
        self.ecn = ecn
        self.greatest_buffer = greatest_buffer
        self.next = self.bytes = self.arrived = 0
        self.acknowledgements = self.duplicates = self.marked = 0
        self.held_count = self.held_end = 0
        self.sacks = 0
        self.twice = False
        self.twice_start = self.twice_end = 0
        self.short_end = self.short_by = 0
        self.now = self.time = self.jiffies = 0
        self.echo = 0
        self.pending = 0
        self.quick = 15
        self.ato = LEAST_ATO
        self.last_arrival = 0
        self.rto = 1000
        self.srtt = 0
        self.segment_seen = 536
        self.delayed_until = NEVER
        self.delayed_timer = schedule.new_timer(self, TIMER_DELAYED_ACK)
        self.compressed = 0
        self.compressed_next = NIL
        self.repeats = 0
        self.compressed_timer = schedule.new_timer(self, TIMER_COMPRESSED_ACK)
        self.compressed_waiting = False
        self.demand = self.ecn_seen = False
        self.window = 65160
        self.window_from = 0
        self.clamp = 64088
        self.window_threshold = 64088
        self.buffer = 131072
        self.ratio = 128
        self.unread = 0
        self.reading = False
        self.turns = 0
        self.rtt = self.rtt_until = self.rtt_began = 0
        self.rtt_echo = 0
        self.space = 10 * SEGMENT
        self.space_from = self.space_began = 0
        self.pulled = 0
        self.mask = -1
        if not cython.compiled:
            self.held = bytearray()
            self.sack_start = [0] * 4
            self.sack_end = [0] * 4
        if not self.ensure(64):
            raise MemoryError

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.held)

    def open_at(
        self, time: int, rtt: int, greeted: int | None = None, turns: Sequence[int] = ()
    ) -> None:
        """Be established before `time` (ns), after a handshake of `rtt` (ns).

        A small message that came before the data, at `greeted` (ns), used one of the quick
        acknowledgements, and only a pause longer than the timeout after it gives new ones
        (tcp_event_data_recv()).  The application reads at its `turns` (ns) only, up to the last;
        until then others hold its processor.
        """
        if greeted is not None:
            self.last_arrival = greeted // JIFFY
        self.srtt = rtt // 1000 * 8
        self.rto = 200 + -(-rtt // JIFFY)
        self.space_began = time // 1000
        self.turns = len(turns)
        for turn in turns:
            self.schedule.once(turn, self, TIMER_TURN)

    def ensure(self, segments: cython.longlong) -> cython.int:
        """Have room for segments so far beyond the next one; return 0 without memory."""
        if segments <= self.mask + 1:
            return 1
        size: cython.longlong = 64
        while size < segments:
            size *= 2
        at: cython.longlong
        if cython.compiled:
            held: cython.pointer[cython.uchar] = cython.cast(
                cython.pointer[cython.uchar], calloc(size, 1)
            )
            if not held:
                return 0
            for at in range(self.next, self.held_end):
                held[at & (size - 1)] = self.held[at & self.mask]
            free(self.held)
            self.held = held
        else:
            moved = bytearray(size)
            for at in range(self.next, self.held_end):
                moved[at & (size - 1)] = self.held[at & self.mask]
            self.held = moved
        self.mask = size - 1
        return 1

    def from_space(self, space: cython.longlong) -> cython.longlong:
        """Answer how much of buffer memory can hold payload."""
        return space * self.ratio >> 8

    def memory(self) -> cython.longlong:
        """Answer how much memory lies in the receive queues."""
        return self.unread + self.held_count * SEGMENT + HEAD * self.sacks

    def select_window(self) -> cython.longlong:
        """Answer the window to offer (bytes)."""
        free_space: cython.longlong = self.from_space(self.buffer - self.memory())
        allowed: cython.longlong = self.from_space(self.buffer)
        full: cython.longlong = self.clamp if self.clamp < allowed else allowed
        if free_space < full >> 1:
            self.quick = 0
            if free_space < allowed >> 4 or free_space < self.segment_seen:
                return 0
        if free_space > self.window_threshold:
            free_space = self.window_threshold
        return (free_space + 63) & ~63

    def grow_window(self, payload: cython.longlong, truesize: cython.longlong) -> cython.void:
        """Let the window grow with what comes, as long as buffer memory suffices."""
        room: cython.longlong = self.from_space(self.buffer - self.memory())
        more: cython.longlong = 0
        half: cython.longlong
        limit: cython.longlong
        if room > self.clamp:
            room = self.clamp
        room -= self.window_threshold
        if room <= 0:
            return
        if self.from_space(truesize) <= payload:
            more = 2 * SEGMENT
        else:
            half = self.from_space(truesize) >> 1
            limit = self.from_space(self.greatest_buffer) >> 1
            while self.window_threshold <= limit:
                if half <= payload:
                    more = 2 * self.segment_seen
                    break
                half >>= 1
                limit >>= 1
        if not more:
            return
        if more < 2 * payload:
            more = 2 * payload
        self.window_threshold += more if more < room else room
        self.quick |= 1

    def grow_buffer(self, copied: cython.longlong) -> cython.void:
        """Let the buffer hold twice what the last round trip brought, and more in start-up."""
        before: cython.longlong = self.space
        wanted: cython.longlong = copied << 1
        rtt: cython.longlong = self.rtt >> 3
        memory: cython.longlong
        self.space = copied
        if rtt < 1000:
            wanted += wanted * rtt // 1000
        elif copied > before:
            wanted += (wanted << 1) * (copied - before) // before
        if self.held_count:
            wanted += (self.held_end - self.next) * SEGMENT
        memory = (wanted << 8) // self.ratio
        if memory > self.greatest_buffer:
            memory = self.greatest_buffer
        if memory > self.buffer:
            self.buffer = memory
            self.clamp = self.from_space(memory)

    def adjust_space(self) -> cython.void:
        """The application has read what came; once a round trip, see how much that was.

        What had been held for a missing segment is still unread then, and counts against it.
        """
        waiting: cython.longlong = self.pulled * SEGMENT
        copied: cython.longlong = self.bytes - waiting
        self.pulled = 0
        if not self.rtt or self.time - self.space_began < self.rtt >> 3:
            return
        if copied - self.space_from - waiting > self.space:
            self.grow_buffer(copied - self.space_from - waiting)
        self.space_from = copied
        self.space_began = self.time

    def update_rtt(self, sample: cython.longlong, by_window: cython.bint) -> cython.void:
        """Keep an estimate of the round trip (us, in eighths)."""
        if self.rtt == 0 or sample << 3 < self.rtt:
            self.rtt = sample << 3
        elif not by_window:
            self.rtt += sample - (self.rtt >> 3)

    def measure_rtt(self) -> cython.void:
        """Estimate the round trip by how long a window takes to come."""
        if self.rtt_began:
            if self.next < self.rtt_until:
                return
            self.update_rtt(self.time - self.rtt_began if self.time > self.rtt_began else 1, True)
        self.rtt_until = self.next + self.window // SEGMENT
        self.rtt_began = self.time

    def measure_segment(self, packet: cython.int) -> cython.void:
        """Learn the size of a full segment, and whether a burst ends here."""
        row: cython.pointer[Packet] = self.pool.rows
        size: cython.longlong = (
            row[packet].gso_size if row[packet].gso_size else (row[packet].payload)
        )
        if size >= self.segment_seen:
            if size != self.segment_seen:
                self.ratio = (row[packet].payload << 8) // (row[packet].payload + HEAD)
                self.clamp = self.from_space(self.buffer)
                if self.clamp < self.space:
                    self.space = self.clamp
                self.segment_seen = size
            if row[packet].flags & PUSH and self.ends_burst(packet):
                self.pending |= PUSHED
        else:
            if self.pending & PUSHED:
                self.pending |= PUSHED_TWICE
            self.pending |= PUSHED

    def ends_burst(self, packet: cython.int) -> cython.bint:
        """Answer whether this is the end of the super-packet it was sent in."""
        row: cython.pointer[Packet] = self.pool.rows
        count: cython.longlong = row[packet].gso_segs if row[packet].gso_segs else 1
        burst: cython.longlong = row[packet].acknowledgement
        return row[packet].sequence // SEGMENT + count == (burst >> 7) + (burst & 127)

    def more_quick(self, most: cython.int) -> cython.void:
        """Acknowledge the next segments at once, up to so many."""
        count: cython.longlong = self.window // (2 * self.segment_seen)
        if count == 0:
            count = 2
        if count > most:
            count = most
        if count > self.quick:
            self.quick = count

    def be_quick(self, most: cython.int) -> cython.void:
        """Acknowledge at once from now on."""
        self.more_quick(most)
        self.ato = LEAST_ATO

    def check_ecn(self, packet: cython.int) -> cython.void:
        """Note a congestion mark (RFC 3168 6.1.3)."""
        mark: cython.int = self.pool.rows[packet].tos & 3
        if mark == CE:
            self.marked += 1
        if not self.ecn:
            return
        if mark == NOT_ECT:
            if self.ecn_seen:
                self.be_quick(2)
            return
        if mark == CE and not self.demand:
            self.be_quick(2)
            self.demand = True
        self.ecn_seen = True

    def note_arrival(self, packet: cython.int) -> cython.void:
        """New data is in order."""
        gap: cython.longlong
        self.pending |= SCHEDULED
        self.measure_segment(packet)
        self.measure_rtt()
        gap = self.jiffies - self.last_arrival
        if gap <= LEAST_ATO // 2:
            self.ato = (self.ato >> 1) + LEAST_ATO // 2
        elif gap < self.ato:
            self.ato = (self.ato >> 1) + gap
            if self.ato > self.rto:
                self.ato = self.rto
            if self.ato > GREATEST_ATO:
                self.ato = GREATEST_ATO
        elif gap > self.rto:
            self.more_quick(16)
        self.last_arrival = self.jiffies
        self.check_ecn(packet)
        if self.pool.rows[packet].payload >= 128:
            self.grow_window(self.pool.rows[packet].payload, self.pool.rows[packet].payload)

    def note_twice(self, start: cython.longlong, end: cython.longlong) -> cython.void:
        """Report a duplicate with the next acknowledgement."""
        self.duplicates += end - start
        self.twice = True
        self.twice_start = start
        self.twice_end = end

    def add_sack(self, start: cython.longlong, end: cython.longlong) -> cython.void:
        """Put the block that a segment belongs to first in the list (RFC 2018 4)."""
        place: cython.int
        other: cython.int
        for place in range(self.sacks):
            if start <= self.sack_end[place] and self.sack_start[place] <= end:
                if self.sack_start[place] < start:
                    start = self.sack_start[place]
                if self.sack_end[place] > end:
                    end = self.sack_end[place]
                break
        else:
            if self.sacks >= 2:
                self.flush_compressed()
            if self.sacks < 4:
                self.sacks += 1
            for other in range(self.sacks - 1, 0, -1):
                self.sack_start[other] = self.sack_start[other - 1]
                self.sack_end[other] = self.sack_end[other - 1]
            self.sack_start[0] = start
            self.sack_end[0] = end
            return
        if place >= 2:
            self.flush_compressed()
        for other in range(place, 0, -1):
            self.sack_start[other] = self.sack_start[other - 1]
            self.sack_end[other] = self.sack_end[other - 1]
        place = 1
        while place < self.sacks:
            if start <= self.sack_end[place] and self.sack_start[place] <= end:
                if self.sack_start[place] < start:
                    start = self.sack_start[place]
                if self.sack_end[place] > end:
                    end = self.sack_end[place]
                self.sacks -= 1
                for other in range(place, self.sacks):
                    self.sack_start[other] = self.sack_start[other + 1]
                    self.sack_end[other] = self.sack_end[other + 1]
            else:
                place += 1
        self.sack_start[0] = start
        self.sack_end[0] = end

    def remove_sacks(self) -> cython.void:
        """Forget the blocks that are now in order."""
        place: cython.int
        kept: cython.int = 0
        if not self.held_count:
            self.sacks = 0
            return
        for place in range(self.sacks):
            if self.sack_start[place] > self.next:
                self.sack_start[kept] = self.sack_start[place]
                self.sack_end[kept] = self.sack_end[place]
                kept += 1
        self.sacks = kept

    def hold(self, start: cython.longlong, end: cython.longlong) -> cython.void:
        """Keep segments that came before others."""
        at: cython.longlong
        fresh: cython.longlong = 0
        if not self.ensure(end - self.next):
            self.schedule.stopped = True
            return
        for at in range(start, end):
            if not self.held[at & self.mask]:
                self.held[at & self.mask] = 1
                fresh += 1
        if end > self.held_end:
            self.held_end = end
        self.held_count += fresh
        if fresh < end - start:
            self.note_twice(start, end)
        self.add_sack(start, end)

    def pull(self) -> cython.void:
        """Take from what was held all that is in order now."""
        while self.held_count and self.held[self.next & self.mask]:
            self.held[self.next & self.mask] = 0
            self.held_count -= 1
            self.pulled += 1
            self.next += 1
        if not self.held_count:
            self.pending |= AT_ONCE

    def queue(self, packet: cython.int) -> cython.void:
        """Put the segments of a packet where they belong."""
        row: cython.pointer[Packet] = self.pool.rows
        start: cython.longlong = row[packet].sequence // SEGMENT
        count: cython.int = row[packet].gso_segs if row[packet].gso_segs else 1
        end: cython.longlong = start + count
        at: cython.longlong
        self.twice = False
        if start <= self.next < end:
            if start < self.next:
                self.note_twice(start, self.next)
            for at in range(self.next, end):
                if self.held_count and self.held[at & self.mask]:
                    self.held[at & self.mask] = 0
                    self.held_count -= 1
            self.next = end
            self.unread += row[packet].payload + HEAD
            self.note_arrival(packet)
            if self.held_count or self.sacks:
                self.pull()
                self.remove_sacks()
        elif end <= self.next:
            self.note_twice(start, end)
            self.be_quick(16)
            self.pending |= SCHEDULED
        else:
            self.check_ecn(packet)
            self.measure_segment(packet)
            self.pending |= SCHEDULED
            # the window grows first, then the packet's memory counts (tcp_data_queue_ofo())
            self.grow_window(row[packet].payload, row[packet].payload + HEAD)
            self.hold(start, end)
            self.grow_buffer(self.space)

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Take a data packet."""
        row: cython.pointer[Packet] = self.pool.rows
        before: cython.longlong = self.next
        if now > self.now:
            # the application read what came before, without consequence
            if self.unread and not self.turns:
                self.unread = 0
                self.adjust_space()
            self.now = now
            self.time = now // 1000
            self.jiffies = now // JIFFY
        self.arrived += row[packet].gso_segs if row[packet].gso_segs else 1
        if row[packet].sequence // SEGMENT <= self.window_from:
            self.echo = row[packet].sent_time // JIFFY
        if row[packet].echo_time != self.rtt_echo and row[packet].payload >= self.segment_seen:
            self.rtt_echo = row[packet].echo_time
            if self.jiffies > self.rtt_echo:
                self.update_rtt(1000 * (self.jiffies - self.rtt_echo), False)
        if row[packet].flags & REDUCED and row[packet].sequence == (
            (row[packet].acknowledgement >> 7) * SEGMENT
        ):
            self.demand = False
            self.pending |= AT_ONCE
        if row[packet].payload % SEGMENT:  # the last of a transfer
            self.short_end = (row[packet].sequence + row[packet].payload) // SEGMENT + 1
            self.short_by = SEGMENT - row[packet].payload % SEGMENT
        self.queue(packet)
        self.bytes += (self.next - before) * SEGMENT
        if before < self.short_end <= self.next:
            self.bytes -= self.short_by
        self.pool.give(packet)
        if self.pending & SCHEDULED:
            self.decide()
        if self.turns:
            return
        if self.next > before and not self.reading and self.reading_matters():
            self.reading = True
            self.schedule.at(now, self.address, TIMER_TICK, 0)

    def reading_matters(self) -> cython.bint:
        """Answer whether the application's reading will bring an acknowledgement about.

        It reads when everything that comes at this moment has come.
        """
        left: cython.longlong
        if self.pending & SCHEDULED and (
            (self.next - self.window_from) * SEGMENT > self.segment_seen
            or (self.pending & (PUSHED | PUSHED_TWICE) and not self.held_count)
        ):
            return True
        left = self.window - (self.next - self.window_from) * SEGMENT
        return 2 * left <= self.clamp

    def decide(self) -> cython.void:
        """Acknowledge now, soon or later."""
        if (
            (
                (self.next - self.window_from) * SEGMENT > self.segment_seen
                and self.select_window() >= self.window
            )
            or self.quick
            or self.pending & AT_ONCE
        ):
            self.acknowledge()
        elif self.held_count:
            self.compress()
        else:
            self.delay()

    def compress(self) -> cython.void:
        """Send one acknowledgement for several segments out of order."""
        wait: cython.longlong = self.rtt
        if self.compressed >= 44:
            self.acknowledge()
            return
        if self.compressed_next != self.next:
            self.compressed_next = self.next
            self.repeats = 0
        if self.repeats < 3:
            self.repeats += 1
            self.acknowledge()
            return
        self.compressed += 1
        if self.compressed_waiting:
            return
        if self.srtt and self.srtt < wait:
            wait = self.srtt
        wait = (wait + (wait >> 2)) * 33
        if wait > JIFFY:
            wait = JIFFY
        self.compressed_waiting = True
        self.schedule.arm(self.compressed_timer, self.now + wait + 10000)

    def flush_compressed(self) -> cython.void:
        """Send the acknowledgement that stands for several."""
        if self.compressed:
            self.compressed = 0
            self.acknowledge()

    def delay(self) -> cython.void:
        """Wait a little for another segment to acknowledge with this one."""
        wait: cython.longlong = self.ato
        most: cython.longlong = 500
        rtt: cython.longlong
        until: cython.longlong
        if wait > LEAST_ATO:
            if self.pending & PUSHED:
                most = GREATEST_ATO
            if self.srtt:
                rtt = ((self.srtt >> 3) + 999) // 1000
                if rtt < LEAST_ATO:
                    rtt = LEAST_ATO
                if rtt < most:
                    most = rtt
            if wait > most:
                wait = most
        if wait > 199:
            wait = 199
        until = self.jiffies + wait
        if self.pending & TIMER:
            if self.delayed_until <= self.jiffies + (self.ato >> 2):
                self.acknowledge()
                return
            if until > self.delayed_until:
                until = self.delayed_until
        self.pending |= SCHEDULED | TIMER
        self.delayed_until = until
        if wait >= 63:
            until |= 7
        self.schedule.arm(self.delayed_timer, (until + 1) * JIFFY)

    def delayed_fires(self) -> cython.void:
        """The wait for another segment is over."""
        if self.compressed:
            self.flush_compressed()
            return
        if not self.pending & TIMER:
            return
        self.pending &= ~TIMER
        if self.pending & SCHEDULED:
            self.ato <<= 1
            if self.ato > self.rto:
                self.ato = self.rto
            if self.ato > GREATEST_ATO:
                self.ato = GREATEST_ATO
            self.acknowledge()

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """A timer has fired."""
        self.now = now
        self.time = now // 1000
        self.jiffies = now // JIFFY
        if what == TIMER_DELAYED_ACK:
            self.delayed_fires()
        elif what == TIMER_TICK:
            self.reading = False
            self.application_reads()
        elif what == TIMER_TURN:
            self.turns -= 1
            if self.unread:
                self.application_reads()
        else:
            self.compressed_waiting = False
            self.flush_compressed()

    def application_reads(self) -> cython.void:
        """The application has read everything; acknowledge if that is called for."""
        left: cython.longlong
        offered: cython.longlong
        ack: cython.bint = False
        self.unread = 0
        self.adjust_space()
        if self.pending & SCHEDULED:
            ack = (self.next - self.window_from) * SEGMENT > self.segment_seen or (
                self.pending & (PUSHED | PUSHED_TWICE) != 0 and not self.held_count
            )
        if not ack:
            left = self.window - (self.next - self.window_from) * SEGMENT
            if 2 * left <= self.clamp:
                offered = self.select_window()
                ack = offered > 0 and offered >= 2 * left
        if ack:
            self.acknowledge()

    def fill_blocks(self, blocks: BlocksRow) -> cython.int:
        """Write the SACK option; answer how many blocks it has."""
        place: cython.int
        count: cython.int = 0
        if self.twice:
            blocks.duplicate = 1
            blocks.start[0] = self.twice_start
            blocks.end[0] = self.twice_end
            count = 1
        for place in range(self.sacks):
            if count == 3:
                break
            blocks.start[count] = self.sack_start[place]
            blocks.end[count] = self.sack_end[place]
            count += 1
        blocks.count = count
        return count

    def acknowledge(self) -> cython.void:
        """Send an acknowledgement."""
        option: cython.int = NIL
        count: cython.int = 0
        offered: cython.longlong
        left: cython.longlong
        if self.twice or self.sacks:
            option = self.options.take()
            if option == NIL:
                self.schedule.stopped = True
                return
            if cython.compiled:
                count = self.fill_blocks(cython.address(self.options.rows[option]))
            else:
                count = self.fill_blocks(self.options.rows[option])
            self.twice = False
        packet: cython.int = self.make(PURE_ACK, HEADER + (4 + 8 * count if count else 0), 0, 1, 0)
        if packet == NIL:
            return
        offered = self.select_window()
        left = self.window - (self.next - self.window_from) * SEGMENT
        if offered < left:
            offered = (left + 63) & ~63
        self.window = offered
        self.window_from = self.next
        row: cython.pointer[Packet] = self.pool.rows
        row[packet].flags |= ACK | (ECHO if self.demand else 0)
        row[packet].acknowledgement = self.next
        row[packet].sequence = self.next + offered // SEGMENT
        row[packet].sent_time = self.now
        row[packet].echo_time = self.echo
        row[packet].id = option + 1
        if self.compressed:
            self.compressed = 0
        if self.compressed_waiting:
            self.compressed_waiting = False
            self.schedule.disarm(self.compressed_timer)
        if self.quick and self.pending & SCHEDULED:
            self.quick -= 1
            if not self.quick:
                self.ato = LEAST_ATO
        self.pending = 0
        self.acknowledgements += 1
        self.port.take(packet, self.now)

    def statistics(self) -> dict[str, int]:
        """Return counts."""
        return {
            "bytes": self.bytes,
            "segments": self.arrived,
            "acknowledgements": self.acknowledgements,
            "duplicates": self.duplicates,
            "marked": self.marked,
            "window": self.window,
            "buffer": self.buffer,
        }
