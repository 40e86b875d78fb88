# cython: cdivision=True
"""The sending side of a TCP connection: what acknowledgements and timers set off.

Sources: tcp_ack(), tcp_rate_gen(), tcp_cong_control() and tcp_update_pacing_rate() of
net/ipv4/tcp_input.c, net/ipv4/tcp_timer.c of Linux 7.3.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.tcp.socket import Socket

if not cython.compiled:
    from tcc.engine.constants import DROP, NEVER, NIL
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import (
        ACKED,
        ADVANCED,
        CUT,
        CWR,
        DATA,
        DUPLICATE,
        ECE,
        ECHO,
        FRESH,
        HEAD,
        IDLE,
        NOTHING,
        OPEN,
        PRESSED,
        PROBE,
        RECOVERY,
        REORDER,
        SACKS,
        SEGMENT,
        SET_TIMER,
        TIMEOUT,
        TIMER_ESTABLISHED,
        TIMER_GREETED,
        TIMER_PACE,
        TIMER_RETRANSMIT,
        TIMER_START,
        WINDOW,
    )
    from tcc.engine.tcp.output import (
        reorder_timeout,
        repair,
        resume,
        send_probe,
        set_transmit_timer,
        timeout,
        write,
    )
    from tcc.engine.tcp.recovery import alert, enter_cwr, process_probe, reduce, update_window
    from tcc.engine.tcp.scoreboard import clean, highest, tag_sacks, update_rtt


class Sender(Socket):
    """A TCP sender.

    It opens no connection by packets: `open_at` says when the handshake is over, with its round
    trip as the first sample; from then on it sends.
    """

    def open_at(
        self, time: int, rtt: int, established: int | None = None, greeting: int = 0
    ) -> None:
        """Have data to send from `time` on.

        Args:
            time: ns.
            rtt: of the handshake (ns), the first round trip the sender knows.
            established: when the handshake was over (ns); None for just now.
            greeting: round trip (ns) of one small message after the handshake; 0 for none.
        """
        self.srtt = rtt  # until then, a place to keep it
        if greeting and established is not None:
            self.greeting = greeting
            self.schedule.once(max(0, established) + greeting, self, TIMER_GREETED)
        when = time if established is None else min(time, max(0, established))
        self.schedule.once(when, self, TIMER_ESTABLISHED)
        self.schedule.once(time, self, TIMER_START)

    def established(self, now: cython.longlong) -> cython.void:
        """The handshake is over."""
        rtt: cython.longlong = self.srtt // 1000
        self.refresh(now)
        self.srtt = 0
        update_rtt(self, rtt, -1, rtt)
        self.delivered = 1  # the SYN
        self.delivered_time = self.time
        self.cwnd_stamp = self.jiffies
        self.pace()
        self.congestion.begin(self)

    def greeted(self, now: cython.longlong) -> cython.void:
        """A small message, sent when the connection was established, is acknowledged."""
        rtt: cython.longlong = self.greeting // 1000
        if self.running:
            return
        self.refresh(now)
        self.flags = ACKED | ADVANCED | WINDOW
        update_rtt(self, rtt, -1, rtt)
        self.congestion.sample(self, rtt)
        self.rate_prior_flight = 1
        self.rate_prior_delivered = self.delivered
        self.rate_prior_time = self.time - rtt
        self.rate_interval = 0
        self.rate_app_limited = True
        self.delivered += 1
        self.rate_sample(1, 0)
        if self.congestion.controls:
            self.congestion.control(self)
        else:
            self.pace()

    def begin(self, now: cython.longlong) -> cython.void:
        """There is data to send; until now the application had none."""
        self.refresh(now)
        self.running = True
        self.app_limited = self.delivered
        write(self, 0)

    def stop(self) -> None:
        """Have no more data from now on."""
        if self.nxt < self.total:
            self.total = self.nxt
            self.stopping = True

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """A timer has fired."""
        if what == TIMER_RETRANSMIT:
            self.armed_for = NEVER
            if self.pending == IDLE:
                return
            if now < self.due:
                self.armed_for = self.due
                self.schedule.arm(self.timer, self.due)
                return
            self.refresh(now)
            self.on_timer()
        elif what == TIMER_PACE:
            self.pace_waiting = False
            self.refresh(now)
            resume(self)
        elif what == TIMER_ESTABLISHED:
            self.established(now)
        elif what == TIMER_GREETED:
            self.greeted(now)
        elif what == TIMER_START:
            self.begin(now)
        elif what == CUT:
            self.queued += (argument - 1) * HEAD
        elif what == PRESSED:  # reduce as for a mark, and send again what was not taken
            self.turned_away = argument == DROP
            self.refresh(now)
            enter_cwr(self)

    def on_timer(self) -> cython.void:
        """The retransmission timer has fired."""
        self.flags = 0
        if self.pending == REORDER:
            reorder_timeout(self)
        elif self.pending == PROBE:
            send_probe(self)
        elif self.pending == TIMEOUT:
            timeout(self)

    def released(self, packet: cython.int) -> cython.void:
        """The host has freed a packet's memory."""
        self.queued -= self.pool.rows[packet].payload + HEAD
        if self.throttled:
            self.throttled = False
            if not self.pace_waiting:
                self.pace_waiting = True
                self.schedule.arm(self.pace_timer, self.schedule.now)

    def refused(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """The own host's qdisc dropped a packet."""
        if self.pool.rows[packet].kind == DATA:
            self.released(packet)

    def departed(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """A packet has left the host."""
        if self.local and self.pool.rows[packet].kind == DATA:
            self.released(packet)

    def take(self, packet: cython.int, now: cython.longlong) -> cython.void:
        """Take an acknowledgement."""
        option: cython.longlong = self.pool.rows[packet].id
        self.refresh(now)
        if self.running:
            self.acknowledge(packet)
        if option:
            self.options.give(option - 1)
        self.pool.give(packet)

    def acknowledge(self, packet: cython.int) -> cython.void:
        """Work on an acknowledgement: note, reduce or grow, repair, send."""
        row: cython.pointer[Packet] = self.pool.rows
        ack: cython.longlong = row[packet].acknowledgement
        offered: cython.longlong = row[packet].sequence
        option: cython.longlong = row[packet].id
        prior_una: cython.longlong = self.una
        prior_high: cython.longlong = highest(self)
        prior_out: cython.longlong = self.nxt - self.una
        prior_delivered: cython.longlong = self.delivered
        prior_lost: cython.longlong = self.lost
        answer: cython.int = NOTHING
        if ack < prior_una or ack > self.nxt:
            return  # an older acknowledgement has nothing new to say
        self.flags = 0
        self.echoed = row[packet].echo_time
        self.stamp = row[packet].sent_time // 1000000
        self.rate_prior_delivered = 0
        self.rate_prior_time = 0
        self.rate_rtt = -1
        self.rate_interval = -1
        self.first_sacked = 0
        self.sack_delivered = 0
        self.rate_prior_flight = self.in_flight()
        if ack > prior_una:
            self.flags = ADVANCED | WINDOW
            self.retransmits = 0
            self.una = ack
        elif offered > self.window_end:
            self.flags = WINDOW
        if offered > self.window_end:
            self.window_end = offered
        if row[packet].flags & ECHO and self.ecn:
            self.flags |= ECE
        if option:
            if cython.compiled:
                tag_sacks(self, cython.address(self.options.rows[option - 1]), prior_una)
            else:
                tag_sacks(self, self.options.rows[option - 1], prior_una)
            self.delivered += self.sack_delivered
        if prior_out == 0:
            return
        clean(self, prior_una, prior_high)
        update_window(self)
        if self.probe_high != NIL:
            process_probe(self)
        if (
            self.state != OPEN
            or self.flags & (SACKS | ECE | DUPLICATE)
            or not self.flags & (WINDOW | ACKED)
        ):
            answer = alert(self, prior_una)
        if self.flags & SET_TIMER:
            set_transmit_timer(self)
        self.rate_sample(self.delivered - prior_delivered, self.lost - prior_lost)
        self.adjust(self.delivered - prior_delivered)
        if answer == FRESH:
            write(self, 0)
            if self.nxt <= self.high:
                self.frto = False
                repair(self)
        elif answer != NOTHING:
            repair(self)
        write(self, 0)
        if self.una == self.total and self.finished_at == NEVER:
            self.finished_at = self.now

    def rate_sample(self, delivered: cython.longlong, lost: cython.longlong) -> cython.void:
        """Make the delivery rate sample of this acknowledgement."""
        span: cython.longlong
        if self.app_limited and self.delivered > self.app_limited:
            self.app_limited = 0
        if delivered:
            self.delivered_time = self.time
        self.rate_acked = delivered
        self.rate_losses = lost
        if self.rate_prior_time == 0:
            self.rate_delivered = -1
            self.rate_interval = -1
            return
        self.rate_delivered = self.delivered - self.rate_prior_delivered
        span = self.time - self.rate_prior_time
        if span > self.rate_interval:
            self.rate_interval = span
        if self.rate_interval < self.least_rtt():
            self.rate_interval = -1

    def adjust(self, acked: cython.longlong) -> cython.void:
        """Let the congestion control set the window."""
        if self.congestion.controls:
            self.congestion.control(self)
            return
        if self.state == CWR or self.state == RECOVERY:
            reduce(self, acked, self.rate_losses)
        elif self.flags & ACKED or (self.reordering > 3 and self.flags & SACKS):
            self.congestion.grow(self, acked)
            self.cwnd_stamp = self.jiffies
        self.pace()

    def pace(self) -> cython.void:
        """Set the pacing rate, which sizes super-packets even where nothing is paced."""
        rate: cython.longlong = SEGMENT * 80000
        rate *= 200 if self.cwnd < self.ssthresh // 2 else 120
        rate *= self.cwnd if self.cwnd > self.nxt - self.una else self.nxt - self.una
        self.pacing_rate = rate // self.srtt if self.srtt else rate
