"""How long a packet is on the line: the arithmetic of overhead, mpu and cells.

Source: cake_overhead() and cake_calc_overhead() in net/sched/sch_cake.c.
"""

from tcc.ir import WireSize

CELL, CELL_PAYLOAD = 53, 48
PTM_BLOCK = 64


def on_wire(packet: int, wire: WireSize) -> int:
    """Return the bytes that an IP packet takes, headers and cells included."""
    size = max(packet + wire.overhead, wire.mpu)
    if wire.cells == "atm":
        return -(-size // CELL_PAYLOAD) * CELL
    if wire.cells == "ptm":
        return size + -(-size // PTM_BLOCK)
    return size
