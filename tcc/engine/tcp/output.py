# cython: cdivision=True
"""What a sender sends, and when: new data, repairs, probes, pacing, the host's small queue.

Sources: net/ipv4/tcp_output.c (tcp_write_xmit(), tcp_tso_autosize(), tcp_tso_should_defer(),
tcp_small_queue_check(), tcp_cwnd_validate(), tcp_xmit_retransmit_queue(), tcp_send_loss_probe())
and net/ipv4/tcp_timer.c of Linux 7.3.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.tcp.socket import Socket

if not cython.compiled:
    from tcc.engine.constants import NIL
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import (
        ACK,
        CWR,
        DATA,
        EVER,
        FIRST,
        HEAD,
        HEADER,
        IDLE,
        JIFFY,
        LOST,
        OPEN,
        PROBE,
        PUSH,
        RECOVERY,
        REDUCED,
        REORDER,
        RETRANS,
        SACKED,
        SECOND,
        SEGMENT,
        TIMEOUT,
        WRITTEN,
    )
    from tcc.engine.tcp.recovery import enter_loss, enter_recovery, reduce
    from tcc.engine.tcp.rows import Segment
    from tcc.engine.tcp.scoreboard import detect_losses


def rto_left(tcp: Socket) -> cython.longlong:
    """Answer how long the first segment in flight has until its timeout (us)."""
    return tcp.ring[tcp.una & tcp.mask].sent + tcp.rto * 1000 - tcp.time


def pacing_wait(tcp: Socket) -> cython.longlong:
    """Answer how long pacing holds the next packet back (jiffies, rounded up)."""
    if not tcp.congestion.paces or tcp.wstamp <= tcp.now:
        return 0
    return (tcp.wstamp - tcp.now + JIFFY - 1) // JIFFY


def rearm(tcp: Socket) -> cython.void:
    """Start the retransmission timeout anew (RFC 6298 5.3)."""
    wait: cython.longlong = tcp.rto
    if tcp.nxt == tcp.una:
        tcp.clear_timer()
        return
    if tcp.pending == REORDER or tcp.pending == PROBE:
        wait = rto_left(tcp)
        wait = (wait + 999) // 1000 if wait > 0 else 1
    tcp.set_timer(TIMEOUT, wait + pacing_wait(tcp))


def schedule_probe(tcp: Socket, advancing: cython.bint) -> cython.bint:
    """Wait for two round trips, then probe for a lost tail (RFC 8985 7.2)."""
    wait: cython.longlong
    left: cython.longlong
    if tcp.state != OPEN and tcp.state != CWR:
        return False
    if tcp.srtt:
        wait = (tcp.srtt >> 2) + (200000 if tcp.nxt - tcp.una == 1 else 2000)
        wait = (wait + 999) // 1000
    else:
        wait = 1000
    left = tcp.rto * 1000 if advancing else rto_left(tcp)
    if left > 0:
        left = (left + 999) // 1000
        if left < wait:
            wait = left
    tcp.set_timer(PROBE, wait + pacing_wait(tcp))
    return True


def set_transmit_timer(tcp: Socket) -> cython.void:
    """Wait for a probe, or for the timeout."""
    if tcp.nxt == tcp.una or not schedule_probe(tcp, True):
        rearm(tcp)


def burst_goal(tcp: Socket) -> cython.int:
    """Answer how many segments a super-packet should have: a millisecond's worth."""
    goal: cython.longlong = tcp.pacing_rate >> 10
    near: cython.longlong = tcp.least_rtt() >> 9
    least: cython.int = tcp.congestion.least_burst(tcp)
    if near < 32 and tcp.sizes_by_rtt:
        goal += tcp.gso_bytes >> near
    if goal > tcp.gso_bytes:
        goal = tcp.gso_bytes
    goal = goal // SEGMENT
    return goal if goal > least else least


def pacing_holds(tcp: Socket) -> cython.bint:
    """Answer whether it is too early to send; then the pacing timer is set."""
    if not tcp.congestion.paces or tcp.wstamp <= tcp.now:
        return False
    if not tcp.pace_waiting:
        tcp.pace_waiting = True
        tcp.schedule.arm(tcp.pace_timer, tcp.wstamp)
    return True


def host_queue_full(tcp: Socket, segments: cython.int, shift: cython.int) -> cython.bint:
    """Answer whether enough is in the queues of the own host (TCP small queues).

    The kernel's count of queued memory begins at 1, so two packets like the next one fill it.
    One packet in flight is always allowed.
    """
    limit: cython.longlong
    if not tcp.local:
        return False
    limit = tcp.pacing_rate >> 10
    if limit < 2 * (segments * SEGMENT + HEAD):
        limit = 2 * (segments * SEGMENT + HEAD)
    if limit > 4194304:
        limit = 4194304
    limit <<= shift
    if tcp.queued < limit or tcp.last_packet <= tcp.una:
        return False
    tcp.throttled = True
    return True


def note_sent(tcp: Socket, segment: cython.longlong, count: cython.int) -> cython.void:
    """Keep with segments what a delivery rate sample will need."""
    row: cython.pointer[Segment] = tcp.ring
    at: cython.longlong
    place: cython.longlong
    sent: cython.longlong = tcp.wstamp // 1000
    if tcp.nxt == tcp.una:
        tcp.first_sent = sent
        tcp.delivered_time = sent
    for at in range(segment, segment + count):
        place = at & tcp.mask
        row[place].sent = sent
        row[place].first_sent = tcp.first_sent
        row[place].delivered_time = tcp.delivered_time
        row[place].delivered = tcp.delivered
        row[place].app_limited = tcp.app_limited != 0
        tcp.list_append(at)


def transmit(
    tcp: Socket, segment: cython.longlong, count: cython.int, again: cython.bint
) -> cython.bint:
    """Send segments as one packet; answer whether the host took it."""
    payload: cython.longlong = count * SEGMENT
    prior: cython.longlong = tcp.wstamp
    gap: cython.longlong
    credit: cython.longlong
    packet: cython.int
    if segment + count == tcp.total:
        payload -= SEGMENT - tcp.last_payload
    packet = tcp.make(DATA, HEADER, payload, count, SEGMENT)
    if packet == NIL:
        return False
    if tcp.wstamp < tcp.now:
        tcp.wstamp = tcp.now
    row: cython.pointer[Packet] = tcp.pool.rows
    row[packet].sequence = segment * SEGMENT
    row[packet].sent_time = tcp.wstamp
    row[packet].echo_time = tcp.stamp
    row[packet].acknowledgement = segment << 7 | count  # known to every segment it is cut into
    row[packet].flags |= ACK
    if count > 1 or segment + count == tcp.total:
        row[packet].flags |= PUSH
    if tcp.ecn and not again:
        row[packet].tos = tcp.tos | 2
        if tcp.cwr_queued:
            tcp.cwr_queued = False
            row[packet].flags |= REDUCED
    if tcp.in_flight() == 0:
        tcp.congestion.restarted(tcp)
    tcp.sent_segments += count
    if tcp.local and not host_takes(tcp, packet, payload):
        return False
    note_sent(tcp, segment, count)
    if tcp.congestion.paces and tcp.pacing_rate and tcp.sent_segments >= 10:
        gap = payload * SECOND // tcp.pacing_rate
        credit = tcp.wstamp - prior
        if credit > gap // 2:
            credit = gap // 2
        tcp.wstamp += gap - credit
    if not tcp.local:
        tcp.port.take(packet, tcp.now)
    return True


def host_takes(tcp: Socket, packet: cython.int, payload: cython.longlong) -> cython.bint:
    """Hand a packet to the own host's qdisc; answer whether it was taken, be it in part."""
    tcp.turned_away = False
    tcp.queued += payload + HEAD
    tcp.port.take(packet, tcp.now)
    return not tcp.turned_away


def defer(
    tcp: Socket, most: cython.longlong, window_held: cython.pointer[cython.bint]
) -> cython.bint:
    """Answer whether to wait for room for a larger super-packet."""
    flight: cython.longlong
    room: cython.longlong
    offered: cython.longlong
    limit: cython.longlong
    chunk: cython.longlong
    srtt: cython.longlong
    due: cython.longlong
    if tcp.state >= RECOVERY or tcp.now - tcp.wstamp > JIFFY:
        return False
    flight = tcp.in_flight()
    offered = tcp.window_end - tcp.nxt
    room = tcp.cwnd - flight
    limit = room if room < offered else offered
    if limit >= most or limit >= tcp.head_end - tcp.nxt:
        return False
    chunk = tcp.window_end - tcp.una
    if tcp.cwnd < chunk:
        chunk = tcp.cwnd
    if 3 * limit >= chunk or tcp.nxt == tcp.una:
        return False
    srtt = tcp.srtt * 125
    due = tcp.ring[tcp.una & tcp.mask].sent * 1000 + srtt - tcp.now
    if due > (srtt >> 1 if srtt >> 1 < JIFFY else JIFFY):
        return False
    if room < offered and room <= tcp.head_end - tcp.nxt:
        window_held[0] = True
    return True


def validate(tcp: Socket, limited: cython.bint) -> cython.void:
    """Note whether the window was used in full (RFC 7661 in spirit)."""
    out: cython.longlong = tcp.nxt - tcp.una
    if tcp.una >= tcp.usage_until or limited or (not tcp.cwnd_limited and out > tcp.most_out):
        tcp.cwnd_limited = limited
        tcp.most_out = out
        tcp.usage_until = tcp.nxt


def write(tcp: Socket, probe: cython.int) -> cython.int:
    """Send new data as far as windows, pacing and the host's queue allow.

    Args:
        tcp: the sender.
        probe: send one packet even if the window is full.

    Returns:
        how many segments were sent.
    """
    sent: cython.int = 0
    quota: cython.longlong
    most: cython.longlong
    half: cython.longlong
    flight: cython.longlong
    prior: cython.longlong
    held: cython.bint = False
    if tcp.nxt >= tcp.total:
        return 0
    most = burst_goal(tcp)
    while tcp.nxt < tcp.total:
        if pacing_holds(tcp):
            break
        flight = tcp.in_flight()
        quota = tcp.cwnd - flight
        if quota <= 0:
            if not probe:
                break
            quota = 1
        else:
            half = tcp.cwnd >> 1
            if half < 1:
                half = 1
            if half < quota:
                quota = half
        if quota > most:
            quota = most
        if tcp.window_end <= tcp.nxt:
            break
        if tcp.head_end <= tcp.nxt:
            tcp.head_end = (tcp.nxt // WRITTEN + 1) * WRITTEN
        if tcp.head_end < tcp.nxt + quota:
            tcp.head_end = tcp.nxt + quota
        if tcp.total - tcp.nxt > 1 and not probe:
            if cython.compiled:
                if defer(tcp, most, cython.address(held)):
                    break
            else:
                marks = [False]
                if defer(tcp, most, marks):
                    held = held or marks[0]
                    break
        if quota > tcp.window_end - tcp.nxt:
            quota = tcp.window_end - tcp.nxt
        if quota > tcp.total - tcp.nxt:
            quota = tcp.total - tcp.nxt
        if host_queue_full(tcp, quota, 0):
            break
        if not tcp.ensure(tcp.nxt - tcp.una + quota):
            tcp.schedule.stopped = True
            break
        for place in range(tcp.nxt, tcp.nxt + quota):
            tcp.ring[place & tcp.mask].flags = 0
        tcp.ring[tcp.nxt & tcp.mask].flags = FIRST
        if not transmit(tcp, tcp.nxt, quota, False):
            if tcp.nxt == tcp.una and not tcp.pace_waiting:  # nothing will come to try again
                tcp.pace_waiting = True
                tcp.schedule.arm(tcp.pace_timer, tcp.now + tcp.rto * JIFFY)
            break
        tcp.last_packet = tcp.nxt
        prior = tcp.nxt - tcp.una
        tcp.nxt += quota
        if prior == 0 or tcp.pending == PROBE:
            rearm(tcp)
        sent += quota
        if probe:
            break
    held = held or tcp.in_flight() >= tcp.cwnd
    if sent or held:
        validate(tcp, held)
    if sent:
        if tcp.state == CWR or tcp.state == RECOVERY:
            tcp.prr_out += sent
        if not probe:
            schedule_probe(tcp, False)
    return sent


def run_length(tcp: Socket, segment: cython.longlong, most: cython.longlong) -> cython.int:
    """Answer how many segments from here on were one packet and are lost."""
    count: cython.int = 1
    flags: cython.int
    while count < most and segment + count < tcp.nxt:
        flags = tcp.ring[(segment + count) & tcp.mask].flags
        if flags & (FIRST | SACKED | RETRANS) or not flags & LOST:
            break
        count += 1
    return count


def repeat(tcp: Socket, segment: cython.longlong, count: cython.int) -> cython.bint:
    """Send segments again; answer whether the host took them."""
    row: cython.pointer[Segment] = tcp.ring
    at: cython.longlong
    if segment + count < tcp.nxt:
        row[(segment + count) & tcp.mask].flags |= FIRST
    for at in range(segment, segment + count):
        tcp.list_remove(at)
        row[at & tcp.mask].flags |= EVER
    row[segment & tcp.mask].flags |= FIRST
    tcp.repeated += count
    return transmit(tcp, segment, count, True)


def repeat_lost(tcp: Socket, segment: cython.longlong, count: cython.int) -> cython.bint:
    """Send lost segments again and count them as in flight."""
    at: cython.longlong
    if not repeat(tcp, segment, count):
        return False
    for at in range(segment, segment + count):
        tcp.ring[at & tcp.mask].flags |= RETRANS
    tcp.retrans_out += count
    if not tcp.retrans_stamp:
        tcp.retrans_stamp = tcp.ring[segment & tcp.mask].sent // 1000
    if tcp.undo_retrans < 0:
        tcp.undo_retrans = 0
    tcp.undo_retrans += count
    return True


def repair(tcp: Socket) -> cython.void:
    """Send lost segments again, as far as window, pacing and the host's queue allow."""
    segment: cython.longlong = tcp.retransmit_hint
    most: cython.longlong
    room: cython.longlong
    flags: cython.int
    count: cython.int
    hole: cython.bint = False
    again: cython.bint = False
    if tcp.nxt == tcp.una:
        return
    if segment == NIL:
        segment = tcp.una
    most = burst_goal(tcp)
    while segment < tcp.nxt:
        if pacing_holds(tcp):
            break
        if not hole:
            tcp.retransmit_hint = segment
        room = tcp.cwnd - tcp.in_flight()
        if room <= 0 or tcp.retrans_out >= tcp.lost_out:
            break
        flags = tcp.ring[segment & tcp.mask].flags
        if not flags & LOST:
            if not flags & (RETRANS | SACKED):
                hole = True
            segment += 1
            continue
        if flags & (RETRANS | SACKED):
            segment += 1
            continue
        count = run_length(tcp, segment, room if room < most else most)
        if host_queue_full(tcp, count, 1) or not repeat_lost(tcp, segment, count):
            break
        if tcp.state == CWR or tcp.state == RECOVERY:
            tcp.prr_out += count
        if segment == tcp.una and tcp.pending != REORDER:
            again = True
        segment += count
    if again:
        tcp.set_timer(TIMEOUT, tcp.rto + pacing_wait(tcp))


def send_probe(tcp: Socket) -> cython.void:
    """Probe for a lost tail: with new data, or with the last segment again."""
    last: cython.longlong = tcp.nxt - 1
    if tcp.probe_high == NIL and tcp.nxt > tcp.una:
        tcp.probe_repeated = False
        if tcp.nxt < tcp.total and tcp.window_end > tcp.nxt:
            if write(tcp, 1):
                tcp.probe_high = tcp.nxt
        elif repeat(tcp, last, 1):
            tcp.probe_repeated = True
            tcp.probe_high = tcp.nxt
        if tcp.probe_high != NIL:
            tcp.probes += 1
            tcp.pending = IDLE
    rearm(tcp)


def reorder_timeout(tcp: Socket) -> cython.void:
    """The wait for late segments is over: mark and repair what did not come."""
    before: cython.longlong = tcp.in_flight()
    lost: cython.longlong = tcp.lost
    tcp.flags = 0
    detect_losses(tcp)
    if before != tcp.in_flight():
        if tcp.state != RECOVERY:
            enter_recovery(tcp, False)
            if not tcp.congestion.controls:
                reduce(tcp, 1, tcp.lost - lost)
        repair(tcp)
    if tcp.pending != TIMEOUT:
        rearm(tcp)


def timeout(tcp: Socket) -> cython.void:
    """Nothing came back in time: begin again with the first segment (RFC 6298 5.4 to 5.6)."""
    tcp.pending = IDLE
    if tcp.nxt == tcp.una:
        return
    enter_loss(tcp)
    tcp.retransmits += 1
    tcp.timeouts += 1
    repeat_lost(tcp, tcp.una, run_length(tcp, tcp.una, 1))
    tcp.backoff += 1
    tcp.rto = tcp.rto << 1 if tcp.rto < 60000 else 120000
    tcp.set_timer(TIMEOUT, tcp.rto)


def resume(tcp: Socket) -> cython.void:
    """Go on after pacing or the host's queue held the sender back."""
    if tcp.lost_out > tcp.retrans_out and tcp.cwnd > tcp.in_flight():
        repair(tcp)
    write(tcp, 0)
