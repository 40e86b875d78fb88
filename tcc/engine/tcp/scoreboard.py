# cython: cdivision=True
"""The scoreboard: what acknowledgements say of the segments in flight, and RACK.

Sources: tcp_sacktag_write_queue(), tcp_clean_rtx_queue(), tcp_rtt_estimator() and
tcp_rate_skb_delivered() of net/ipv4/tcp_input.c, net/ipv4/tcp_recovery.c; RFC 2018, 2883, 6298,
8985.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.tcp.socket import Socket

if not cython.compiled:
    from tcc.engine.constants import NIL
    from tcc.engine.tcp.constants import (
        ACKED,
        DUPLICATE,
        DUPLICATE_PROBE,
        EVER,
        JIFFY,
        LOSS,
        LOST,
        ORIGINAL,
        RECOVERY,
        RETRANS,
        RETRANS_ACKED,
        SACKED,
        SACKS,
        SET_TIMER,
    )
    from tcc.engine.tcp.rows import BlocksRow, Segment
    from tcc.engine.tcp.socket import run_best


def highest(tcp: Socket) -> cython.longlong:
    """Answer the segment after the highest one selectively acknowledged."""
    return tcp.highest_sack if tcp.sacked_out else tcp.una


def mark_lost(tcp: Socket, segment: cython.longlong) -> cython.void:
    """Count a segment, or its retransmission, as lost."""
    row: cython.pointer[Segment] = tcp.ring
    place: cython.longlong = segment & tcp.mask
    flags: cython.int = row[place].flags
    if flags & SACKED:
        return
    if tcp.retransmit_hint == NIL:
        if tcp.retrans_out >= tcp.lost_out:
            tcp.retransmit_hint = segment
    elif segment < tcp.retransmit_hint:
        tcp.retransmit_hint = segment
    if flags & LOST:
        if flags & RETRANS:
            row[place].flags = flags & ~RETRANS
            tcp.retrans_out -= 1
            tcp.lost += 1
        return
    row[place].flags = flags | LOST
    tcp.lost_out += 1
    tcp.lost += 1


def rack_advance(
    tcp: Socket, flags: cython.int, end: cython.longlong, sent: cython.longlong
) -> cython.void:
    """Remember the latest sent of the delivered segments (RFC 8985 6.2, steps 2 and 3)."""
    rtt: cython.longlong = tcp.time - sent
    if flags & (EVER | RETRANS) and rtt < tcp.least_rtt():
        return  # too soon for the retransmission: the original came
    tcp.rack_advanced = True
    tcp.rack_rtt = rtt
    if sent > tcp.rack_time or (sent == tcp.rack_time and end > tcp.rack_end):
        tcp.rack_time = sent
        tcp.rack_end = end


def note_delivered(tcp: Socket, segment: cython.longlong) -> cython.void:
    """Take the delivery rate sample of a segment, if it was sent later than those before."""
    row: cython.pointer[Segment] = tcp.ring
    place: cython.longlong = segment & tcp.mask
    if row[place].delivered_time == 0:
        return
    sent: cython.longlong = row[place].sent
    if (
        tcp.rate_prior_delivered == 0
        or sent > tcp.first_sent
        or (sent == tcp.first_sent and segment + 1 > tcp.rate_last_end)
    ):
        tcp.rate_prior_delivered = row[place].delivered
        tcp.rate_prior_time = row[place].delivered_time
        tcp.rate_app_limited = row[place].app_limited != 0
        tcp.rate_last_end = segment + 1
        tcp.first_sent = sent
        tcp.rate_interval = sent - row[place].first_sent
    if row[place].flags & SACKED:
        row[place].delivered_time = 0


def check_reordering(tcp: Socket, low: cython.longlong) -> cython.void:
    """A segment never retransmitted came after later ones: the path reorders."""
    distance: cython.longlong = highest(tcp) - low
    if distance <= 0:
        return
    if distance > tcp.reordering:
        tcp.reordering = distance if distance < 300 else 300
    tcp.reordering_seen += 1


def tag_one(tcp: Socket, segment: cython.longlong, duplicate: cython.bint) -> cython.void:
    """Note that a segment was delivered out of order, or came twice."""
    row: cython.pointer[Segment] = tcp.ring
    place: cython.longlong = segment & tcp.mask
    flags: cython.int = row[place].flags
    if duplicate and flags & (EVER | RETRANS):
        if tcp.undo_marker != NIL and tcp.undo_retrans > 0 and segment >= tcp.undo_marker:
            tcp.undo_retrans -= 1
        if flags & SACKED and segment < tcp.reorder_low:
            tcp.reorder_low = segment
    if not flags & SACKED:
        rack_advance(tcp, flags, segment + 1, row[place].sent)
        if flags & RETRANS:
            if flags & LOST:
                flags &= ~(LOST | RETRANS)
                tcp.lost_out -= 1
                tcp.retrans_out -= 1
        else:
            if not flags & EVER:
                if segment < highest(tcp) and segment < tcp.reorder_low:
                    tcp.reorder_low = segment
                if segment < tcp.high:
                    tcp.flags |= ORIGINAL
                if tcp.first_sacked == 0:
                    tcp.first_sacked = row[place].sent
                tcp.last_sacked = row[place].sent
            if flags & LOST:
                flags &= ~LOST
                tcp.lost_out -= 1
        flags |= SACKED
        tcp.flags |= SACKS
        tcp.sacked_out += 1
        tcp.sack_delivered += 1
    if duplicate and flags & RETRANS:
        flags &= ~RETRANS
        tcp.retrans_out -= 1
    row[place].flags = flags
    note_delivered(tcp, segment)
    tcp.list_remove(segment)
    if segment >= tcp.highest_sack:
        tcp.highest_sack = segment + 1


def tag_range(
    tcp: Socket, start: cython.longlong, end: cython.longlong, duplicate: cython.bint
) -> cython.void:
    """Note that segments were delivered out of order."""
    segment: cython.longlong
    if start < tcp.una:
        start = tcp.una
    if end > tcp.nxt:
        end = tcp.nxt
    for segment in range(start, end):
        if duplicate or not tcp.ring[segment & tcp.mask].flags & SACKED:
            tag_one(tcp, segment, duplicate)


def note_duplicate(tcp: Socket, blocks: BlocksRow, prior_una: cython.longlong) -> cython.bint:
    """Note what arrived twice; answer whether it was one of our retransmissions."""
    count: cython.longlong = blocks.end[0] - blocks.start[0]
    if count == 1 and tcp.probe_high == blocks.end[0]:
        tcp.flags |= DUPLICATE_PROBE
    tcp.duplicates += count
    if tcp.duplicates > tcp.repeated:
        return False
    if tcp.reordering_seen and not tcp.flags & DUPLICATE_PROBE:
        tcp.rack_duplicate = True
    tcp.flags |= DUPLICATE
    tcp.sack_delivered += count
    if (
        tcp.undo_marker != NIL
        and tcp.undo_retrans > 0
        and blocks.end[0] <= prior_una
        and blocks.end[0] > tcp.undo_marker
    ):
        tcp.undo_retrans = tcp.undo_retrans - count if tcp.undo_retrans > count else 0
    return True


def tag_block(tcp: Socket, start: cython.longlong, end: cython.longlong) -> cython.void:
    """Note a block; what the last acknowledgement said already is passed over."""
    place: cython.int
    for place in range(4):
        if tcp.cached_start[place] <= start < tcp.cached_end[place]:
            start = tcp.cached_end[place]
            break
    tag_range(tcp, start, end, False)


def tag_sacks(tcp: Socket, blocks: BlocksRow, prior_una: cython.longlong) -> cython.void:
    """Note everything that a SACK option says, in the order of the segments."""
    place: cython.int
    other: cython.int
    swap: cython.longlong
    first: cython.int = 0
    tcp.reorder_low = tcp.nxt
    if not tcp.sacked_out:
        tcp.highest_sack = tcp.una
        for place in range(4):
            tcp.cached_start[place] = 0
            tcp.cached_end[place] = 0
    if blocks.duplicate:
        first = 1
        if (
            note_duplicate(tcp, blocks, prior_una)
            and blocks.end[0] > prior_una
            and blocks.start[0] >= tcp.una
        ):
            tag_range(tcp, blocks.start[0], blocks.end[0], True)
    for place in range(first + 1, blocks.count):
        for other in range(place, first, -1):
            if blocks.start[other - 1] <= blocks.start[other]:
                break
            swap = blocks.start[other]
            blocks.start[other] = blocks.start[other - 1]
            blocks.start[other - 1] = swap
            swap = blocks.end[other]
            blocks.end[other] = blocks.end[other - 1]
            blocks.end[other - 1] = swap
    for place in range(first, blocks.count):
        if blocks.end[place] > tcp.una and blocks.end[place] <= tcp.nxt:
            tag_block(tcp, blocks.start[place], blocks.end[place])
    for place in range(4):
        if first + place < blocks.count:
            tcp.cached_start[place] = blocks.start[first + place]
            tcp.cached_end[place] = blocks.end[first + place]
        else:
            tcp.cached_start[place] = 0
            tcp.cached_end[place] = 0
    if tcp.state != LOSS or tcp.undo_marker != NIL:
        check_reordering(tcp, tcp.reorder_low)


def estimate_rtt(tcp: Socket, rtt: cython.longlong) -> cython.void:
    """Smooth the round trip (RFC 6298, with the variance's window of one flight)."""
    error: cython.longlong
    if tcp.srtt == 0:
        tcp.srtt = rtt << 3 if rtt else 1
        tcp.mdev = rtt << 1
        tcp.rttvar = tcp.mdev if tcp.mdev > 200000 else 200000
        tcp.mdev_max = tcp.rttvar
        tcp.rtt_until = tcp.nxt
        return
    error = rtt - (tcp.srtt >> 3)
    tcp.srtt += error
    if tcp.srtt < 1:
        tcp.srtt = 1
    if error < 0:
        error = -error - (tcp.mdev >> 2)
        if error > 0:
            error >>= 3
    else:
        error -= tcp.mdev >> 2
    tcp.mdev += error
    if tcp.mdev > tcp.mdev_max:
        tcp.mdev_max = tcp.mdev
        if tcp.mdev_max > tcp.rttvar:
            tcp.rttvar = tcp.mdev_max
    if tcp.una > tcp.rtt_until:
        if tcp.mdev_max < tcp.rttvar:
            tcp.rttvar -= (tcp.rttvar - tcp.mdev_max) >> 2
        tcp.rtt_until = tcp.nxt
        tcp.mdev_max = 200000


def update_rtt(
    tcp: Socket, rtt: cython.longlong, sack_rtt: cython.longlong, last_rtt: cython.longlong
) -> cython.bint:
    """Take the round trip of an acknowledgement (us); answer whether it had one."""
    if rtt < 0:
        rtt = sack_rtt
    if rtt < 0 and tcp.echoed and tcp.flags & ACKED:
        rtt = tcp.now // JIFFY - tcp.echoed
        rtt = 1000 * (rtt if rtt > 0 else 1)
        last_rtt = rtt
    tcp.rate_rtt = last_rtt
    if rtt < 0:
        return False
    if last_rtt == 0:
        last_rtt = 1000
    if cython.compiled:
        run_best(cython.address(tcp.rtt_best), 300000, tcp.jiffies, last_rtt, True)
    else:
        run_best(tcp.rtt_best, 300000, tcp.jiffies, last_rtt, True)
    estimate_rtt(tcp, rtt)
    tcp.rto = ((tcp.srtt >> 3) + tcp.rttvar + 999) // 1000
    if tcp.rto > 120000:
        tcp.rto = 120000
    tcp.backoff = 0
    return True


def clean(tcp: Socket, prior_una: cython.longlong, prior_high: cython.longlong) -> cython.void:
    """Forget what is now acknowledged cumulatively; `una` has moved already."""
    row: cython.pointer[Segment] = tcp.ring
    segment: cython.longlong
    place: cython.longlong
    flags: cython.int
    first: cython.longlong = 0
    last: cython.longlong = 0
    low: cython.longlong = tcp.nxt
    rtt: cython.longlong = -1
    sack_rtt: cython.longlong = -1
    last_rtt: cython.longlong = -1
    for segment in range(prior_una, tcp.una):
        place = segment & tcp.mask
        flags = row[place].flags
        if flags & (EVER | RETRANS):
            if flags & RETRANS:
                tcp.retrans_out -= 1
            tcp.flags |= RETRANS_ACKED
        elif not flags & SACKED:
            last = row[place].sent
            if first == 0:
                first = last
                low = segment
            if segment < tcp.high:
                tcp.flags |= ORIGINAL
        if flags & SACKED:
            tcp.sacked_out -= 1
        else:
            tcp.delivered += 1
            if not (flags & (EVER | RETRANS) and tcp.echoed < row[place].sent // 1000):
                rack_advance(tcp, flags, segment + 1, row[place].sent)
        if flags & LOST:
            tcp.lost_out -= 1
        note_delivered(tcp, segment)
        tcp.list_remove(segment)
    if tcp.una > prior_una:
        tcp.flags |= ACKED
        if tcp.retransmit_hint < tcp.una:
            tcp.retransmit_hint = NIL
    if first and not tcp.flags & RETRANS_ACKED:
        rtt = tcp.time - first
        last_rtt = tcp.time - last
    if tcp.first_sacked:
        sack_rtt = tcp.time - tcp.first_sacked
        last_rtt = tcp.time - tcp.last_sacked
    measured: cython.bint = update_rtt(tcp, rtt, sack_rtt, last_rtt)
    if tcp.flags & ACKED:
        tcp.flags |= SET_TIMER
        if low < prior_high:
            check_reordering(tcp, low)
    elif tcp.nxt > tcp.una and measured and sack_rtt >= 0:
        if sack_rtt > tcp.time - row[tcp.una & tcp.mask].sent:
            tcp.flags |= SET_TIMER
    tcp.congestion.sample(tcp, tcp.rate_rtt)


def reordering_window(tcp: Socket) -> cython.longlong:
    """Answer how long to wait for a segment that might be late (us; RFC 8985 6.2, step 4)."""
    if not tcp.reordering_seen and (tcp.state >= RECOVERY or tcp.sacked_out >= tcp.reordering):
        return 0
    window: cython.longlong = (tcp.least_rtt() >> 2) * tcp.rack_steps
    return window if window < tcp.srtt >> 3 else tcp.srtt >> 3


def detect_losses(tcp: Socket) -> cython.longlong:
    """Mark what was sent before a delivered segment and is overdue.

    Returns:
        how long to wait for the last of those that may still come (us); 0 if there is none.
    """
    row: cython.pointer[Segment] = tcp.ring
    window: cython.longlong = reordering_window(tcp)
    segment: cython.longlong = tcp.oldest
    later: cython.longlong
    place: cython.longlong
    left: cython.longlong
    longest: cython.longlong = 0
    while segment != NIL:
        place = segment & tcp.mask
        later = row[place].later
        if not (row[place].flags & LOST and not row[place].flags & RETRANS):
            if tcp.rack_time < row[place].sent or (
                tcp.rack_time == row[place].sent and tcp.rack_end <= segment + 1
            ):
                break
            left = tcp.rack_rtt + window - (tcp.time - row[place].sent)
            if left <= 0:
                mark_lost(tcp, segment)
                tcp.list_remove(segment)
            elif left > longest:
                longest = left
        segment = later
    return longest
