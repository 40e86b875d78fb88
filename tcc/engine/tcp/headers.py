# cython: cdivision=True
"""The headers of a bare acknowledgement, for qdiscs that read them (CAKE's ACK filter).

Ethernet, IPv4 without options, TCP with timestamps and, if there is one, the SACK option; the
hashes stand for addresses and ports; no checksums.  RFC 791, 9293, 7323, 2018.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.packet import PacketPool
from tcc.engine.tcp.options import OptionPool

if not cython.compiled:
    from tcc.engine.constants import NIL
    from tcc.engine.packet import RAW_BYTES
    from tcc.engine.rows import Packet
    from tcc.engine.tcp.constants import ECHO, SEGMENT
    from tcc.engine.tcp.rows import BlocksRow, Octets


def put(
    data: Octets,
    place: cython.int,
    value: cython.longlong,
    size: cython.int,
) -> cython.int:
    """Write a number in network order; answer the place after it."""
    at: cython.int
    for at in range(size):
        data[place + at] = (value >> (8 * (size - 1 - at))) & 255
    return place + size


def put_sack(data: Octets, place: cython.int, blocks: BlocksRow) -> cython.int:
    """Write the SACK option; answer the place after it."""
    at: cython.int
    place = put(data, place, 1, 1)
    place = put(data, place, 1, 1)
    place = put(data, place, 5, 1)
    place = put(data, place, 2 + 8 * blocks.count, 1)
    for at in range(blocks.count):
        place = put(data, place, 1 + blocks.start[at] * SEGMENT, 4)
        place = put(data, place, 1 + blocks.end[at] * SEGMENT, 4)
    return place


def write_headers(pool: PacketPool, options: OptionPool, packet: cython.int) -> cython.void:
    """Keep the headers of an acknowledgement with it; without memory there are none."""
    raw: cython.int = pool.take_raw()
    if raw == NIL:
        return
    row: cython.pointer[Packet] = pool.rows
    data: Octets = pool.bytes
    start: cython.int = raw * RAW_BYTES
    length: cython.longlong = row[packet].length
    ack: cython.longlong = row[packet].acknowledgement
    flags: cython.int = 0x50 if row[packet].flags & ECHO else 0x10
    offered: cython.longlong = ((row[packet].sequence - ack) * SEGMENT) >> 7
    place: cython.int = start
    for place in range(start, start + 12):
        data[place] = 0
    place = put(data, start + 12, 0x0800, 2)
    place = put(data, place, 0x45, 1)
    place = put(data, place, row[packet].tos, 1)
    place = put(data, place, length - 14, 2)
    place = put(data, place, 0, 4)
    place = put(data, place, 64 << 8 | 6, 2)
    place = put(data, place, 0, 2)
    place = put(data, place, row[packet].source_hash, 4)
    place = put(data, place, row[packet].destination_hash, 4)
    place = put(data, place, row[packet].flow_hash, 4)
    place = put(data, place, 1, 4)
    place = put(data, place, 1 + ack * SEGMENT, 4)
    place = put(data, place, ((length - 34) // 4) << 12 | flags, 2)
    place = put(data, place, offered if offered < 65535 else 65535, 2)
    place = put(data, place, 0, 4)
    place = put(data, place, 0x0101080A, 4)
    place = put(data, place, row[packet].sent_time // 1000000, 4)
    place = put(data, place, row[packet].echo_time, 4)
    if row[packet].id:
        if cython.compiled:
            place = put_sack(data, place, cython.address(options.rows[row[packet].id - 1]))
        else:
            place = put_sack(data, place, options.rows[row[packet].id - 1])
    pool.raw_lengths[raw] = place - start
    row[packet].raw = raw
