"""The headers of the engine's packets, as they would be on Ethernet: IPv4 with TCP, UDP or ICMP.

What the engine does not have is made up, always the same way: addresses, ports, initial sequence
numbers of 0, payload of zeros. So checksums are right although the payload is not kept: zeros add
nothing to a sum. RFC 791, 792, 768, 9293, 7323 (timestamps in ms), 2018 (SACK).
"""

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tcc.engine.tcp.constants import (
    DATA,
    ECHO,
    JIFFY,
    PING,
    PURE_ACK,
    PUSH,
    REDUCED,
    SEGMENT,
)

ICMP, TCP, UDP = 1, 6, 17
CHECKSUM_AT = {ICMP: 2, TCP: 16, UDP: 6}
ETHERTYPE = b"\x08\x00"
IP, HEAD_OF_TCP = struct.Struct("!BBHHHBBHII"), struct.Struct("!HHIIHHHH")
STAMPS, BLOCK = struct.Struct("!BBBBII"), struct.Struct("!II")
DONT_FRAGMENT = 0x4000
TTL = 64
PSH_BIT, ACK_BIT, ECE_BIT, CWR_BIT = 0x08, 0x10, 0x40, 0x80
WINDOW_SHIFT = 7
OWN_WINDOW = 512
"""The window that a sender offers, which takes no data itself: 64 KiB."""
ETHERNET_BYTES, IP_BYTES = 14, 20
CLIENTS_MAC, SERVERS_MAC = b"\x02\0\0\0\0\x01", b"\x02\0\0\0\0\x02"
FIRST_CLIENT = 10 << 24 | 1
"""10.0.0.1: host 0."""
SERVER = 203 << 24 | 113 << 8 | 1
"""203.0.113.1 (RFC 5737)."""
FIRST_PORT, PORTS = 10_000, 50_000
SERVER_PORTS = {"tcp": 5201, "udp": 5201, "voip": 2112}
"""Those of iperf3 and irtt."""
PROTOCOLS = {"tcp": TCP, "udp": UDP, "voip": UDP, "ping": ICMP}


class Ends(NamedTuple):
    """Who talks to whom.

    Attributes:
        protocol: of IP.
        client: its address.
        client_port: its port; of a ping its identifier.
        server_port: the server's port.
    """

    protocol: int
    client: int
    client_port: int
    server_port: int


def ends_of(kind: str, number: int, host: int) -> Ends:
    """Return the ends of a flow.

    Args:
        kind: tcp, udp, voip or ping.
        number: of the flow.
        host: number of the client.
    """
    port = FIRST_PORT + number % PORTS
    return Ends(PROTOCOLS[kind], FIRST_CLIENT + host, port, SERVER_PORTS.get(kind, 0))


def frame(
    row: Mapping[str, int], ends: Ends, out: bool, blocks: Sequence[tuple[int, int]]
) -> tuple[bytes, int]:
    """Return the headers of a packet, and the length of the whole.

    A super-packet has one IP header, as in a capture on the host that makes it.

    Args:
        row: the packet.
        ends: of its flow.
        out: it goes to the server.
        blocks: of its SACK option: first segment, and the one after the last.
    """
    header = _transport(row, ends, out, blocks)
    below = IP_BYTES + len(header)
    length = below + row["payload"]
    source, destination = ends.client, SERVER
    macs = SERVERS_MAC + CLIENTS_MAC
    if not out:
        source, destination = destination, source
        macs = CLIENTS_MAC + SERVERS_MAC
    ip = IP.pack(
        0x45, row["tos"], length, 0, DONT_FRAGMENT, TTL, ends.protocol, 0, source, destination
    )
    pseudo = 0
    if ends.protocol != ICMP:
        pseudo = source + destination + ends.protocol + len(header) + row["payload"]
    place = CHECKSUM_AT[ends.protocol]
    data = macs + ETHERTYPE + _summed(ip, 10, 0) + _summed(header, place, pseudo)
    return data, ETHERNET_BYTES + length


def _transport(
    row: Mapping[str, int], ends: Ends, out: bool, blocks: Sequence[tuple[int, int]]
) -> bytes:
    """Return the header above IP, without its checksum."""
    if ends.protocol == ICMP:
        kind = 8 if row["kind"] == PING else 0
        return struct.pack("!BBHHH", kind, 0, 0, ends.client_port, row["sequence"] & 0xFFFF)
    ports = (ends.client_port, ends.server_port) if out else (ends.server_port, ends.client_port)
    if ends.protocol == UDP:
        return struct.pack("!HHHH", *ports, 8 + row["payload"], 0)
    options = _options(row, blocks)
    sequence, acknowledgement, window = 1, 1, OWN_WINDOW
    if row["kind"] == PURE_ACK:
        acknowledgement += row["acknowledgement"] * SEGMENT
        offered = (row["sequence"] - row["acknowledgement"]) * SEGMENT
        window = min(offered >> WINDOW_SHIFT, 0xFFFF)
    else:
        sequence += row["sequence"]
    flags = (20 + len(options)) // 4 << 12 | ACK_BIT | _flags(row)
    numbers = (sequence & 0xFFFFFFFF, acknowledgement & 0xFFFFFFFF)
    return HEAD_OF_TCP.pack(*ports, *numbers, flags, window, 0, 0) + options


def _flags(row: Mapping[str, int]) -> int:
    """Return ECE, CWR and PSH. Of a super-packet that was split, the first has CWR, the last PSH.

    `acknowledgement` of data tells the packet that it was: its first segment and how many.
    """
    if row["kind"] != DATA:
        return ECE_BIT if row["flags"] & ECHO else 0
    first, count = row["acknowledgement"] >> 7, row["acknowledgement"] & 127
    own = row["sequence"] // SEGMENT
    flags = 0
    if row["flags"] & REDUCED and own == first:
        flags |= CWR_BIT
    if row["flags"] & PUSH and own + max(1, row["gso_segs"]) == first + count:
        flags |= PSH_BIT
    return flags


def _options(row: Mapping[str, int], blocks: Sequence[tuple[int, int]]) -> bytes:
    """Return timestamps and SACK blocks."""
    stamps = (row["sent_time"] // JIFFY & 0xFFFFFFFF, row["echo_time"] & 0xFFFFFFFF)
    options = STAMPS.pack(1, 1, 8, 10, *stamps)
    if blocks:
        options += struct.pack("!BBBB", 1, 1, 5, 2 + 8 * len(blocks))
        for start, end in blocks:
            both = (1 + start * SEGMENT & 0xFFFFFFFF, 1 + end * SEGMENT & 0xFFFFFFFF)
            options += BLOCK.pack(*both)
    return options


def _summed(header: bytes, place: int, pseudo: int) -> bytes:
    """Return a header with its checksum at `place` (RFC 1071).

    A sum of 16-bit words with end-around carry is the number that they form, modulo 65535.

    Args:
        header: an even number of bytes.
        place: of the checksum; UDP's, which must not be 0 (RFC 768), is at 6.
        pseudo: what else is summed, as a number that is the same modulo 65535.
    """
    checksum = -(int.from_bytes(header, "big") + pseudo) % 0xFFFF
    if checksum == 0 and place == CHECKSUM_AT[UDP]:
        checksum = 0xFFFF
    return header[:place] + checksum.to_bytes(2, "big") + header[place + 2 :]
