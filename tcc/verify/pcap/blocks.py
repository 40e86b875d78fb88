"""The blocks of a pcapng file, little-endian, times in ns since 1970.

Source: draft-ietf-opsawg-pcapng, sections 3 (options) and 4 (blocks); link type 1 is Ethernet.
"""

import struct

SECTION, INTERFACE, STATISTICS, PACKET = 0x0A0D0D0A, 1, 5, 6
BYTE_ORDER = 0x1A2B3C4D
ETHERNET = 1
SNAP_LENGTH = 128
"""Bytes of a packet that are kept at most: no header that is written here is longer."""
COMMENT, SECTION_PROGRAM = 1, 4
INTERFACE_NAME, INTERFACE_DESCRIPTION, INTERFACE_SPEED, INTERFACE_RESOLUTION = 2, 3, 8, 9
PACKET_FLAGS = 2
HEAD_OF_PACKET, HEAD_OF_OPTION = struct.Struct("<IIIII"), struct.Struct("<HH")
PADDING = (b"", b"\0", b"\0\0", b"\0\0\0")
STATISTICS_BEGIN, STATISTICS_END, STATISTICS_RECEIVED, STATISTICS_DELIVERED = 2, 3, 4, 8
NANOSECONDS = b"\x09"


def section(program: str, comment: str) -> bytes:
    """Return the header that a file begins with; its length is not given."""
    body = struct.pack("<IHHq", BYTE_ORDER, 1, 0, -1)
    return _block(SECTION, body, _text(SECTION_PROGRAM, program) + _text(COMMENT, comment))


def interface(name: str, description: str, speed: int = 0) -> bytes:
    """Return the description of an interface; the first has the number 0.

    Args:
        name: of the interface.
        description: what is recorded there.
        speed: bit/s; 0 for none.
    """
    options = _text(INTERFACE_NAME, name) + _text(INTERFACE_DESCRIPTION, description)
    if speed:
        options += _option(INTERFACE_SPEED, struct.pack("<Q", speed))
    options += _option(INTERFACE_RESOLUTION, NANOSECONDS)
    return _block(INTERFACE, struct.pack("<HHI", ETHERNET, 0, SNAP_LENGTH), options)


def packet(number: int, time: int, data: bytes, length: int, comment: str, way: bytes) -> bytes:
    """Return a packet.

    Args:
        number: of its interface.
        time: ns since 1970.
        data: the first bytes of it.
        length: of the whole, in bytes.
        comment: what is said of it.
        way: INBOUND or OUTBOUND.
    """
    body = HEAD_OF_PACKET.pack(number, time >> 32, time & 0xFFFFFFFF, len(data), length)
    return _block(PACKET, body + data + PADDING[-len(data) % 4], way + _text(COMMENT, comment))


def statistics(number: int, span: tuple[int, int], received: int, kept: int) -> bytes:
    """Return what an interface has counted.

    Args:
        number: of the interface.
        span: when recording began and ended (ns since 1970).
        received: packets that there were.
        kept: packets that are in the file.
    """
    begin, end = span
    options = (
        _option(STATISTICS_BEGIN, _time(begin))
        + _option(STATISTICS_END, _time(end))
        + _option(STATISTICS_RECEIVED, struct.pack("<Q", received))
        + _option(STATISTICS_DELIVERED, struct.pack("<Q", kept))
    )
    return _block(STATISTICS, struct.pack("<I", number) + _time(end), options)


def _block(kind: int, body: bytes, options: bytes) -> bytes:
    """Return a block whose body is a multiple of four bytes."""
    length = 16 + len(body) + len(options)
    return struct.pack("<II", kind, length) + body + options + struct.pack("<II", 0, length)


def _option(code: int, value: bytes) -> bytes:
    return HEAD_OF_OPTION.pack(code, len(value)) + value + PADDING[-len(value) % 4]


def _text(code: int, text: str) -> bytes:
    """Return an option of UTF-8, cut to what it holds."""
    return _option(code, text.encode("utf-8", "replace")[:0xFFFF])


def _time(time: int) -> bytes:
    return struct.pack("<II", time >> 32, time & 0xFFFFFFFF)


INBOUND, OUTBOUND = (_option(PACKET_FLAGS, struct.pack("<I", way)) for way in (1, 2))
"""Which way a packet goes, as the option that says it."""
