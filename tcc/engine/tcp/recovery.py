# cython: cdivision=True
"""What a sender does about losses and marks: its states, reductions and their undoing.

Sources: tcp_fastretrans_alert() and what it calls, tcp_enter_loss(), tcp_process_tlp_ack() of
net/ipv4/tcp_input.c; RFC 6937 (proportional rate reduction), 5682 (F-RTO), 8985 (tail loss probe),
3522 and 3708 (undoing).
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
        ADVANCED,
        CWR,
        DISORDER,
        DUPLICATE_PROBE,
        ECE,
        EVER,
        FRESH,
        INFINITE,
        LOSS,
        LOST,
        LOST_RETRANS,
        NOTHING,
        OPEN,
        ORIGINAL,
        RECOVERY,
        REORDER,
        REPAIR,
        SACKS,
        SET_TIMER,
        WINDOW,
    )
    from tcc.engine.tcp.rows import Segment
    from tcc.engine.tcp.scoreboard import check_reordering, detect_losses, mark_lost


def any_repeated(tcp: Socket) -> cython.bint:
    """Answer whether a retransmission may still be on its way."""
    if tcp.retrans_out:
        return True
    return tcp.nxt > tcp.una and tcp.ring[tcp.una & tcp.mask].flags & EVER != 0


def init_undo(tcp: Socket) -> cython.void:
    """Begin to watch whether the coming reduction was a mistake."""
    tcp.undo_marker = tcp.una
    tcp.undo_retrans = tcp.retrans_out
    if tcp.probe_high != NIL and tcp.probe_repeated:
        tcp.undo_retrans += 1
    if not tcp.undo_retrans:
        tcp.undo_retrans = -1


def init_reduction(tcp: Socket) -> cython.void:
    """Begin proportional rate reduction."""
    tcp.high = tcp.nxt
    tcp.probe_high = NIL
    tcp.cwnd_count = 0
    tcp.prior_cwnd = tcp.cwnd
    tcp.prr_delivered = 0
    tcp.prr_out = 0
    tcp.ssthresh = tcp.congestion.threshold(tcp)
    tcp.reductions += 1
    if tcp.ecn:
        tcp.cwr_queued = True


def reduce(tcp: Socket, delivered: cython.longlong, lost: cython.longlong) -> cython.void:
    """Set the window by proportional rate reduction after an acknowledgement."""
    flight: cython.longlong = tcp.in_flight()
    room: cython.longlong = tcp.ssthresh - flight
    send: cython.longlong
    if delivered <= 0 or tcp.prior_cwnd == 0:
        return
    tcp.prr_delivered += delivered
    if room < 0:
        send = (
            tcp.ssthresh * tcp.prr_delivered + tcp.prior_cwnd - 1
        ) // tcp.prior_cwnd - tcp.prr_out
    else:
        send = tcp.prr_delivered - tcp.prr_out
        if send < delivered:
            send = delivered
        if tcp.flags & ADVANCED and not lost:
            send += 1
        if send > room:
            send = room
    if tcp.prr_out == 0 and send < 1:
        send = 1
    if send < 0:
        send = 0
    tcp.cwnd = flight + send


def end_reduction(tcp: Socket) -> cython.void:
    """Come out of a reduction with the window it aimed at."""
    if tcp.congestion.controls:
        return
    if tcp.ssthresh < INFINITE and (tcp.state == CWR or tcp.undo_marker != NIL):
        tcp.cwnd = tcp.ssthresh
        tcp.cwnd_stamp = tcp.jiffies


def enter_cwr(tcp: Socket) -> cython.void:
    """Reduce the window without a loss: an ECN mark, or a refusal by the own host's qdisc."""
    tcp.prior_ssthresh = 0
    if tcp.state < CWR:
        tcp.undo_marker = NIL
        init_reduction(tcp)
        tcp.enter(CWR)


def enter_recovery(tcp: Socket, echo: cython.bint) -> cython.void:
    """Begin fast recovery."""
    if not any_repeated(tcp):
        tcp.retrans_stamp = 0
    tcp.prior_ssthresh = 0
    init_undo(tcp)
    tcp.recoveries += 1
    if tcp.state != CWR and tcp.state != RECOVERY:
        if not echo:
            tcp.prior_ssthresh = tcp.current_threshold()
        init_reduction(tcp)
    tcp.enter(RECOVERY)


def enter_loss(tcp: Socket) -> cython.void:
    """Begin again after a timeout."""
    segment: cython.longlong
    row: cython.pointer[Segment] = tcp.ring
    anew: cython.bint = tcp.state < RECOVERY
    for segment in range(tcp.una, tcp.nxt):
        if segment == tcp.una or tcp.rack_rtt <= tcp.time - row[segment & tcp.mask].sent:
            mark_lost(tcp, segment)
    tcp.retransmit_hint = NIL
    if tcp.state <= DISORDER or tcp.high <= tcp.una or (tcp.state == LOSS and not tcp.retransmits):
        tcp.prior_ssthresh = tcp.current_threshold()
        tcp.prior_cwnd = tcp.cwnd
        tcp.ssthresh = tcp.congestion.threshold(tcp)
        init_undo(tcp)
    tcp.cwnd = tcp.in_flight() + 1
    tcp.cwnd_count = 0
    tcp.cwnd_stamp = tcp.jiffies
    if tcp.state <= DISORDER and tcp.sacked_out >= 3 and tcp.reordering > 3:
        tcp.reordering = 3
    tcp.enter(LOSS)
    tcp.high = tcp.nxt
    tcp.probe_high = NIL
    if tcp.ecn:
        tcp.cwr_queued = True
    tcp.frto = anew or tcp.retransmits > 0


def undo(tcp: Socket, unmark: cython.bint) -> cython.void:
    """Take a reduction back."""
    segment: cython.longlong
    before: cython.longlong
    if unmark:
        for segment in range(tcp.una, tcp.nxt):
            tcp.ring[segment & tcp.mask].flags &= ~LOST
        tcp.lost_out = 0
        tcp.retransmit_hint = NIL
    if tcp.prior_ssthresh:
        before = tcp.congestion.undone(tcp)
        tcp.cwnd = before
        if tcp.prior_ssthresh > tcp.ssthresh:
            tcp.ssthresh = tcp.prior_ssthresh
            tcp.cwr_queued = False
    tcp.undos += 1
    tcp.cwnd_stamp = tcp.jiffies
    tcp.undo_marker = NIL
    tcp.rack_advanced = True


def delayed(tcp: Socket) -> cython.bint:
    """Answer whether what came was sent before the first retransmission."""
    if tcp.retrans_stamp:
        return tcp.echoed != 0 and tcp.echoed < tcp.retrans_stamp
    return True


def may_undo(tcp: Socket) -> cython.bint:
    """Answer whether the reduction proved a mistake."""
    return tcp.undo_marker != NIL and (tcp.undo_retrans == 0 or delayed(tcp))


def undo_duplicates(tcp: Socket) -> cython.bint:
    """Undo if every retransmission was reported to have come twice."""
    if tcp.undo_marker == NIL or tcp.undo_retrans != 0:
        return False
    tcp.rack_persist = tcp.rack_persist + 1 if tcp.rack_persist < 16 else 16
    undo(tcp, False)
    return True


def undo_loss(tcp: Socket, frto: cython.bint) -> cython.bint:
    """Undo a timeout that proved a mistake."""
    if not frto and not may_undo(tcp):
        return False
    undo(tcp, True)
    tcp.retransmits = 0
    tcp.enter(OPEN)
    return True


def undo_partial(tcp: Socket, prior_una: cython.longlong) -> cython.bint:
    """Undo recovery if a hole was filled by the original; answer whether to wait."""
    if tcp.undo_marker == NIL or not delayed(tcp):
        return False
    check_reordering(tcp, prior_una)
    if tcp.retrans_out:
        return True
    if not any_repeated(tcp):
        tcp.retrans_stamp = 0
    undo(tcp, True)
    keep_open(tcp)
    return False


def undo_recovery(tcp: Socket) -> cython.void:
    """Recovery is over; undo it if it proved a mistake."""
    if may_undo(tcp):
        undo(tcp, False)
    elif tcp.rack_persist:
        tcp.rack_persist -= 1
    tcp.enter(OPEN)


def keep_open(tcp: Socket) -> cython.void:
    """Be in disorder while anything is missing, else open."""
    state: cython.int = OPEN
    if tcp.sacked_out + tcp.lost_out or any_repeated(tcp):
        state = DISORDER
    if tcp.state != state:
        tcp.enter(state)
        tcp.high = tcp.nxt


def try_to_open(tcp: Socket) -> cython.void:
    """There is nothing to repair: reduce for a mark, or be open."""
    if not any_repeated(tcp):
        tcp.retrans_stamp = 0
    if tcp.flags & ECE:
        enter_cwr(tcp)
    if tcp.state != CWR:
        keep_open(tcp)


def find_losses(tcp: Socket) -> cython.void:
    """Let RACK look for losses, and wait for what may still come."""
    before: cython.longlong = tcp.retrans_out
    wait: cython.longlong
    if tcp.nxt == tcp.una or not tcp.rack_advanced:
        return
    tcp.rack_advanced = False
    wait = detect_losses(tcp)
    if wait:
        tcp.set_timer(REORDER, (wait + 2000 + 999) // 1000)
        tcp.flags &= ~SET_TIMER
    if before > tcp.retrans_out:
        tcp.flags |= LOST_RETRANS


def process_loss(tcp: Socket) -> cython.int:
    """Go on after a timeout; answer what to send."""
    recovered: cython.bint = tcp.una >= tcp.high
    if tcp.flags & ADVANCED and undo_loss(tcp, False):
        return NOTHING
    if tcp.frto:
        if tcp.flags & ORIGINAL and undo_loss(tcp, True):
            return NOTHING
        if tcp.nxt > tcp.high:
            if not tcp.flags & (ACKED | WINDOW) or tcp.flags & SACKS:
                tcp.frto = False
        elif tcp.flags & ADVANCED and not recovered:
            tcp.high = tcp.nxt
            if tcp.nxt < tcp.total and tcp.window_end > tcp.nxt:
                return FRESH
            tcp.frto = False
    if recovered:
        undo_recovery(tcp)
        return NOTHING
    return REPAIR


def leave_states(tcp: Socket) -> cython.bint:
    """Leave a state whose flight is acknowledged."""
    if tcp.state == OPEN:
        tcp.retrans_stamp = 0
    elif tcp.una >= tcp.high:
        if tcp.state == CWR:
            if tcp.una != tcp.high:
                end_reduction(tcp)
                tcp.enter(OPEN)
        elif tcp.state == RECOVERY:
            undo_recovery(tcp)
            end_reduction(tcp)
    return True


def alert_open(tcp: Socket) -> cython.int:
    """Look for losses while not recovering; answer what to send."""
    if tcp.state <= DISORDER:
        undo_duplicates(tcp)
    find_losses(tcp)
    if tcp.lost_out == 0:
        try_to_open(tcp)
        return NOTHING
    enter_recovery(tcp, tcp.flags & ECE != 0)
    return REPAIR


def alert(tcp: Socket, prior_una: cython.longlong) -> cython.int:
    """Work on an acknowledgement that is not plain progress; answer what to send."""
    answer: cython.int = REPAIR
    if tcp.flags & ECE:
        tcp.prior_ssthresh = 0
    leave_states(tcp)
    if tcp.state == RECOVERY:
        if tcp.flags & ADVANCED and undo_partial(tcp, prior_una):
            return NOTHING
        if undo_duplicates(tcp):
            try_to_open(tcp)
        find_losses(tcp)
        if tcp.state != RECOVERY:
            if tcp.lost_out == 0:
                return NOTHING
            enter_recovery(tcp, tcp.flags & ECE != 0)
        return REPAIR
    if tcp.state == LOSS:
        answer = process_loss(tcp)
        find_losses(tcp)
        if not (tcp.state == OPEN or tcp.flags & LOST_RETRANS):
            return answer
    return alert_open(tcp)


def process_probe(tcp: Socket) -> cython.void:
    """See what an acknowledgement says of the tail loss probe (RFC 8985 7.4)."""
    if tcp.probe_high == NIL or tcp.una < tcp.probe_high:
        return
    if not tcp.probe_repeated or tcp.flags & DUPLICATE_PROBE:
        tcp.probe_high = NIL
    elif tcp.una > tcp.probe_high:
        init_reduction(tcp)
        tcp.enter(CWR)
        end_reduction(tcp)
        keep_open(tcp)
    elif not tcp.flags & (ADVANCED | ACKED | WINDOW | SACKS):
        tcp.probe_high = NIL


def update_window(tcp: Socket) -> cython.void:
    """Let the reordering window grow by duplicates and shrink by time (RFC 8985 6.2, step 4)."""
    if not tcp.rate_prior_delivered:
        return
    if tcp.rate_prior_delivered < tcp.rack_last_delivered:
        tcp.rack_duplicate = False
    if tcp.rack_duplicate:
        tcp.rack_steps = tcp.rack_steps + 1 if tcp.rack_steps < 255 else 255
        tcp.rack_duplicate = False
        tcp.rack_last_delivered = tcp.delivered
        tcp.rack_persist = 16
    elif not tcp.rack_persist:
        tcp.rack_steps = 1
