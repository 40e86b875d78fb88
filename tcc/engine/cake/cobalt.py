"""COBALT: CoDel and BLUE for one flow of CAKE.

Source: the cobalt functions of net/sched/sch_cake.c; CAKE specification section 6.4.  A slot's
inverse square root starts as 0, so its first episode signals at the next packet that is late;
and only 32 bits of the interval take part in the control law.  Both are the kernel's.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if not cython.compiled:
    from tcc.engine.cake.rows import KEEP, FlowRow, TinRow
    from tcc.engine.constants import CE, CONGESTED, FLOOD_PROTECTION, IPV4, IPV6
    from tcc.engine.rows import PacketRow

    ROOTS = [0] * 16

    # Named for C in the .pxd, where they are constants.
    M32 = 0xFFFFFFFF
    M64 = 0xFFFFFFFFFFFFFFFF
    THREE_32 = 3 << 32
    NEARLY = 0xFEFFFFFF  # BLUE's probability, one step below certainty

from tcc.engine.cake.tables import INVERSE_ROOTS
from tcc.engine.random import Random

for _number in range(16):
    ROOTS[_number] = INVERSE_ROOTS[_number]


def set_root(flow: FlowRow) -> cython.void:
    """Bring the inverse square root to a new count: from the table, or by one Newton step."""
    rec: cython.ulonglong
    square: cython.ulonglong
    count: cython.ulonglong
    if flow.count < 16:
        flow.rec = ROOTS[flow.count]
        return
    rec = flow.rec
    count = flow.count
    square = (rec * rec) >> 32
    square = ((THREE_32 - count * square) & M64) >> 2
    flow.rec = (((square * rec) & M64) >> 31) & M32


def control(tin: TinRow, flow: FlowRow, at: cython.longlong) -> cython.longlong:
    """Return the time of the next signal after `at`."""
    wide: cython.ulonglong = tin.interval & M32
    return at + ((wide * flow.rec) >> 32)


def judge(
    tin: TinRow,
    flow: FlowRow,
    row: PacketRow,
    ingress: cython.bint,
    now: cython.longlong,
    chance: Random,
) -> cython.int:
    """Return why a packet is to be dropped, or KEEP.

    It is marked if it is to be marked; `tin.marked` tells.
    """
    sojourn: cython.longlong = now - row.enqueue_time
    late: cython.longlong = now - flow.drop_next
    verdict: cython.int = KEEP
    due: cython.bint = flow.count != 0 and late >= 0
    tin.marked = 0
    if (
        sojourn > tin.target
        and sojourn > tin.mtu_time * 4
        and (not ingress or sojourn > tin.mtu_time * 2 * tin.bulk)
    ):
        if not flow.dropping:
            flow.dropping = 1
            flow.drop_next = control(tin, flow, now)
        if flow.count == 0:
            flow.count = 1
    else:
        flow.dropping = 0
    if due:
        if flow.dropping:
            if row.tos & CE and (row.protocol == IPV4 or row.protocol == IPV6):
                row.tos = row.tos | CE
                tin.marked = 1
            else:
                verdict = CONGESTED
            if flow.count < M32:
                flow.count += 1
            set_root(flow)
            flow.drop_next = control(tin, flow, flow.drop_next)
            late = now - flow.drop_next
        else:
            while flow.count != 0 and late >= 0:
                flow.count -= 1
                set_root(flow)
                flow.drop_next = control(tin, flow, flow.drop_next)
                late = now - flow.drop_next
    if flow.p_drop and verdict == KEEP and chance.u32() < flow.p_drop:
        verdict = FLOOD_PROTECTION
    if flow.count == 0:
        flow.drop_next = now + tin.interval
    elif late > 0 and verdict == KEEP:
        flow.drop_next = now
    return verdict


def overflowed(tin: TinRow, flow: FlowRow, now: cython.longlong) -> cython.bint:
    """Tell BLUE that a flow overflows; say whether it has just become unresponsive."""
    up: cython.bint = False
    if now - flow.blue_timer > tin.target:
        up = flow.p_drop == 0
        flow.p_drop = M32 if flow.p_drop > NEARLY else flow.p_drop + 0x1000000
        flow.blue_timer = now
    flow.dropping = 1
    flow.drop_next = now
    if flow.count == 0:
        flow.count = 1
    return up


def emptied(tin: TinRow, flow: FlowRow, now: cython.longlong) -> cython.bint:
    """Tell COBALT that a flow is empty; say whether it is no longer unresponsive.

    There is nothing to tell of a flow whose `count` and `p_drop` are 0: it is not dropping.
    """
    down: cython.bint = False
    if flow.p_drop and now - flow.blue_timer > tin.target:
        flow.p_drop = 0 if flow.p_drop < 0x100000 else flow.p_drop - 0x100000
        flow.blue_timer = now
        down = flow.p_drop == 0
    flow.dropping = 0
    if flow.count != 0 and now >= flow.drop_next:
        flow.count -= 1
        set_root(flow)
        flow.drop_next = control(tin, flow, flow.drop_next)
    return down
