"""Packets of a train: what they are, the bytes that the kernel is sent, and what comes out."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

UDP, TCP = 17, 6
ETHERNET = 14
SEGMENTS = 64  # IPv4 identifications that a packet's segments may take
NUMBER_OF_TAIL = {0x0806: 38, 0x86DD: 62, 0x88B5: 14}  # where packets without one carry theirs


@dataclass(frozen=True)
class Packet:
    """One packet that a train sends; its number is its place in the train.

    `length` is of the whole frame (of a super-packet: as the socket gives it to the kernel).
    `departure` is ns after `at`, for SO_TXTIME; `rate` the socket's SO_MAX_PACING_RATE, bytes/s.
    """

    at: int  # ns after the train's start
    flow: int = 1
    length: int = 1514
    tos: int = 0
    source: int = 1
    destination: int = 2
    kind: str = "udp"  # udp, tcp, ack, arp, ipv6, other, vlan
    mark: int = 0
    priority: int = 0
    gso: int = 0  # payload of each segment of a super-packet
    departure: int | None = None
    rate: int = 0
    acknowledged: int = 0
    flags: int = 0x10
    sack: tuple[tuple[int, int], ...] = ()
    timestamp: int | None = None


@dataclass(frozen=True)
class Read:
    """Take one frame from the tap, which makes the qdisc give the next."""

    at: int


@dataclass(frozen=True)
class Look:
    """Take the counters now, not only at the end."""

    at: int


@dataclass(frozen=True)
class Change:
    """Run a `tc` command, `{dev}` standing for the device."""

    at: int
    words: str


Step = Packet | Read | Look | Change


@dataclass(frozen=True)
class Seen:
    """A frame as it came out: when (ns after the start), which packet, which of its segments."""

    at: int
    number: int
    segment: int
    tos: int
    length: int


@dataclass
class Train:
    """What is done to a qdisc, and what kernel and engine must agree on.

    `tc` are the words of commands that set the qdisc up; `model` makes the engine's, given a pool
    and a source of chance.  A train whose outcome chance could move says how that was avoided.
    """

    name: str
    tc: tuple[str, ...]
    model: object
    steps: list[Step]
    device: str = "veth"  # veth, tap
    queues: int = 1
    ring: int = 1  # frames that the tap itself holds
    bypass: bool = False  # the kernel sends past an idle qdisc of this kind
    filters: tuple[str, ...] = ()
    chance: str = "none is drawn"
    forwarded: bool = False  # the packets come from another device, not from a socket
    drifts: bool = False  # a late timer costs tokens, so that lateness adds up
    tail: int = 1_000_000_000  # ns to wait after the last step
    loose: tuple[str, ...] = ()  # counters that depend on how late the kernel's timer was
    changes: tuple[dict[str, object], ...] = ()  # what each Change means to the engine


def checksum(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071)."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def address(host: int) -> bytes:
    """Return 10.0.0.`host`."""
    return bytes([10, 0, host >> 8, host & 255])


def ipv4(packet: Packet, number: int, protocol: int, size: int) -> bytes:
    """Return an IPv4 header for `size` bytes of payload."""
    words = [0x45, packet.tos, 20 + size & 0xFFFF, number * SEGMENTS, 0, 64, protocol, 0]
    form = "!BBHHHBBH4s4s"
    ends = address(packet.source), address(packet.destination)
    words[7] = checksum(struct.pack(form, *words, *ends))
    return struct.pack(form, *words, *ends)


def options(packet: Packet) -> bytes:
    """Return the TCP options of a packet."""
    found = b""
    if packet.timestamp is not None:
        found += struct.pack("!BBBBII", 1, 1, 8, 10, packet.timestamp, 0)
    if packet.sack:
        blocks = b"".join(struct.pack("!II", *block) for block in packet.sack)
        found += struct.pack("!BBBB", 1, 1, 5, 2 + len(blocks)) + blocks
    return found


def ports(packet: Packet) -> tuple[int, int]:
    """Return source and destination port of a flow."""
    return 1000 + packet.flow, 2000


def transport(packet: Packet, network: int) -> tuple[int, bytes]:
    """Return protocol and transport header; the payload fills the frame up."""
    if packet.kind in ("tcp", "ack"):
        extra = options(packet)
        fields = (*ports(packet), 1, packet.acknowledged, (20 + len(extra)) // 4 << 4)
        header = struct.pack("!HHIIBBHHH", *fields, packet.flags, 1000, 0, 0) + extra
        return TCP, header
    size = packet.length - ETHERNET - network
    return UDP, struct.pack("!HHHH", *ports(packet), size & 0xFFFF, 0)


def frame(packet: Packet, number: int) -> bytes:
    """Return the frame of a packet."""
    ends = b"\x02\x00\x00\x00\x00\x02\x02\x00\x00\x00\x00\x01"
    if packet.kind == "arp":
        start = ends + struct.pack("!HHHBBH", 0x0806, 1, 0x0800, 6, 4, 1) + bytes(16)
        start += struct.pack("!I", number)
    elif packet.kind == "other":
        start = ends + struct.pack("!HI", 0x88B5, number)
    elif packet.kind == "ipv6":
        size = packet.length - ETHERNET - 40
        _, header = transport(packet, 40)
        start = ends + struct.pack("!HIHBB", 0x86DD, 6 << 28 | packet.tos << 20, size, UDP, 64)
        start += bytes(15) + bytes([packet.source]) + bytes(15) + bytes([packet.destination])
        start += header + struct.pack("!I", number)
    else:
        protocol, header = transport(packet, 20)
        tag = struct.pack("!HH", 0x8100, 5) if packet.kind == "vlan" else b""
        size = packet.length - ETHERNET - len(tag) - 20
        start = ends + tag + b"\x08\x00" + ipv4(packet, number, protocol, size) + header
    if len(start) > packet.length:
        raise ValueError(f"packet {number}: {packet.length} bytes do not hold its headers")
    return start + bytes(packet.length - len(start))


def header_length(packet: Packet) -> int:
    """Return the bytes before the payload of a super-packet's segments."""
    return ETHERNET + 20 + len(transport(packet, 20)[1])


def segments(packet: Packet) -> int:
    """Return how many segments a packet is."""
    if not packet.gso:
        return 1
    return -(-(packet.length - header_length(packet)) // packet.gso)


def size_key(packet: Packet) -> str:
    """Return what the memory that a packet takes depends on."""
    return f"{packet.length}/{packet.gso}"


def parse(data: bytes) -> tuple[int, int, int]:
    """Return number, segment and TOS of a frame that came out."""
    place = 12
    kind = int.from_bytes(data[place : place + 2], "big")
    if kind == 0x8100:
        place += 4
        kind = int.from_bytes(data[place : place + 2], "big")
    if kind == 0x0800:
        mark = int.from_bytes(data[place + 6 : place + 8], "big")
        return mark // SEGMENTS, mark % SEGMENTS, data[place + 3]
    tail = NUMBER_OF_TAIL[kind]
    tos = (data[14] & 15) << 4 | data[15] >> 4 if kind == 0x86DD else 0
    return int.from_bytes(data[tail : tail + 4], "big"), 0, tos


def virtio_header(packet: Packet) -> bytes:
    """Return struct virtio_net_hdr for a super-packet (PACKET_VNET_HDR)."""
    udp = packet.kind == "udp"
    kind = 5 if udp else 1  # VIRTIO_NET_HDR_GSO_UDP_L4, _TCPV4
    size = header_length(packet)
    return struct.pack("=BBHHHH", 1, kind, size, packet.gso, 34, 6 if udp else 16)


def host_order(number: int) -> int:
    """Return a protocol number as packet sockets want it."""
    return socket.htons(number)
