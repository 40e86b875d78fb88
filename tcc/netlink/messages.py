"""Messages of rtnetlink: their numbers, their header, and the kernel's answers.

Numbers and layouts are those of include/uapi/linux/netlink.h and rtnetlink.h.
"""

import os
import struct
from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from tcc.netlink.attributes import Field, Schema, decode
from tcc.netlink.wire import RAW, TEXT, U32, DecodeError

NLMSG_ERROR: Final = 2
NLMSG_DONE: Final = 3
NLMSG_OVERRUN: Final = 4
NLMSG_MIN_TYPE: Final = 16  # below it are control messages

NLM_F_REQUEST: Final = 0x001
NLM_F_ACK: Final = 0x004
NLM_F_DUMP_INTR: Final = 0x010
NLM_F_DUMP: Final = 0x300
NLM_F_REPLACE: Final = 0x100
NLM_F_EXCL: Final = 0x200
NLM_F_CREATE: Final = 0x400
NLM_F_CAPPED: Final = 0x100  # in an answer: the request is not repeated in it
NLM_F_ACK_TLVS: Final = 0x200  # in an answer: attributes of `EXTACK` follow

RTM_NEWLINK: Final = 16
RTM_DELLINK: Final = 17
RTM_GETLINK: Final = 18
RTM_NEWQDISC: Final = 36
RTM_DELQDISC: Final = 37
RTM_GETQDISC: Final = 38
RTM_NEWTCLASS: Final = 40
RTM_DELTCLASS: Final = 41
RTM_GETTCLASS: Final = 42
RTM_NEWTFILTER: Final = 44
RTM_DELTFILTER: Final = 45
RTM_GETTFILTER: Final = 46
RTM_NEWCHAIN: Final = 100
RTM_DELCHAIN: Final = 101
RTM_GETCHAIN: Final = 102

NLMSGHDR = struct.Struct("=IHHII")  # length, type, flags, sequence, port
IFINFOMSG = struct.Struct("=BxHiII")  # family, type, index, flags, change
HEADER_SIZE: Final = NLMSGHDR.size
_unpack_header = struct.Struct("=IHHI").unpack_from
_SHORT = (0, 0, 0, 0)
_ENDS = frozenset({NLMSG_ERROR, NLMSG_DONE})
_ERROR_CODE = struct.Struct("=i")
_PLAIN_ACK = struct.Struct("=IHHIIi16x")  # header, error number, the header of the request

EXTACK = Schema(
    "extack",
    (
        Field(1, "MSG", TEXT),
        Field(2, "OFFS", U32),
        Field(3, "COOKIE", RAW),
        Field(4, "POLICY", RAW),
        Field(5, "MISS_TYPE", U32),
        Field(6, "MISS_NEST", U32),
    ),
)


Made = TypeVar("Made")


class Message(NamedTuple):
    """A request without its header: type, flags beyond REQUEST and ACK, body."""

    type: int
    flags: int
    body: bytes


class Reply(NamedTuple):
    """One message from the kernel: `data[start:stop]` is what follows its header."""

    type: int
    flags: int
    data: bytes
    start: int
    stop: int


class Ack(NamedTuple):
    """The kernel's answer to one request; `request` counts those sent together, from 0.

    `errno` 0 means done.  `text` is the kernel's own sentence (extended
    acknowledgement), which may also come with success, as a warning.
    `offset` is where in the request, header included, the refused attribute
    is; `missing` the number of an attribute that should have been there.
    """

    request: int
    errno: int
    text: str | None = None
    offset: int | None = None
    missing: int | None = None

    @property
    def ok(self) -> bool:
        """Whether the request was carried out."""
        return self.errno == 0

    @property
    def reason(self) -> str:
        """The kernel's sentence, or the C library's for the error number."""
        return self.text or os.strerror(self.errno)


class KernelRefusal(OSError):  # noqa: N818 - a refusal is an answer, not a fault
    """The kernel did not do what one request asked; `ack` is its whole answer."""

    def __init__(self, ack: Ack) -> None:
        super().__init__(ack.errno, ack.reason)
        self.ack = ack


def split(data: bytes, size: int) -> list[tuple[int, Reply]]:
    """Return sequence number and message of each message in one datagram.

    Raises:
        DecodeError: a message that is longer than the datagram, or too short.
    """
    found: list[tuple[int, Reply]] = []
    start = 0
    while start < size:
        length, kind, flags, sequence = _header(data, start, size)
        found.append((sequence, Reply(kind, flags, data, start + HEADER_SIZE, start + length)))
        start += (length + 3) & ~3
    return found


def answers_to(
    sequence: int, data: bytes, size: int, make: Callable[[int, int, bytes, int, int], Made]
) -> tuple[list[Made], int, Reply | None]:
    """Make the objects in one datagram that answer `sequence`.

    Returns:
        The objects, the flags of all their messages, and the message that
        ends the answer (NLMSG_DONE or NLMSG_ERROR) if it is there.

    Raises:
        DecodeError: a message that is longer than the datagram, or too short.
    """
    found: list[Made] = []
    start = marks = 0
    while start < size:
        # `_header`, written out: every object of every dump passes here.
        length, kind, flags, answered = _unpack_header(data, start) if size - start > 15 else _SHORT
        if not HEADER_SIZE <= length <= size - start:
            _header(data, start, size)
        if answered == sequence:
            marks |= flags
            if kind >= NLMSG_MIN_TYPE:
                found.append(make(kind, flags, data, start + HEADER_SIZE, start + length))
            elif kind in _ENDS:
                return found, marks, Reply(kind, flags, data, start + HEADER_SIZE, start + length)
        start += (length + 3) & ~3
    return found, marks, None


def _header(data: bytes, start: int, size: int) -> tuple[int, int, int, int]:
    """Return length, type, flags and sequence of the message from `start` on."""
    if size - start < HEADER_SIZE:
        raise DecodeError("nlmsghdr", f"{size - start} stray bytes at the end of a datagram")
    header: tuple[int, int, int, int] = _unpack_header(data, start)
    if not HEADER_SIZE <= header[0] <= size - start:
        raise DecodeError("nlmsghdr", f"a message says {header[0]} bytes; {size - start} are left")
    return header


def parse_ack(reply: Reply, request: int) -> Ack:
    """Read an acknowledgement (NLMSG_ERROR) or the end of a dump (NLMSG_DONE).

    Raises:
        DecodeError: an answer too short to hold an error number.
    """
    kind, flags, data, start, stop = reply
    if stop - start < _ERROR_CODE.size:
        if kind == NLMSG_DONE:
            return Ack(request, 0)
        raise DecodeError("nlmsgerr", f"expected 4 bytes, got {stop - start}")
    errno = -_ERROR_CODE.unpack_from(data, start)[0]
    if not flags & NLM_F_ACK_TLVS:
        return Ack(request, errno)
    start += _ERROR_CODE.size
    if kind == NLMSG_ERROR:
        start += _repeated_request(reply, start)
    values = dict(decode(EXTACK, data, start, stop))
    text, offset, missing = values.get("MSG"), values.get("OFFS"), values.get("MISS_TYPE")
    return Ack(
        request,
        errno,
        text if isinstance(text, str) else None,
        offset if isinstance(offset, int) else None,
        missing if isinstance(missing, int) else None,
    )


def acks(data: memoryview, size: int, shift: int) -> list[Ack]:
    """Return the acknowledgements in one datagram; a request is its sequence plus `shift`.

    Raises:
        DecodeError: malformed data.
    """
    if size == _PLAIN_ACK.size:  # one, without a sentence: nearly all of them
        _, kind, flags, sequence, _, code = _PLAIN_ACK.unpack_from(data)
        if kind == NLMSG_ERROR and not flags & NLM_F_ACK_TLVS:
            return [Ack(sequence + shift, -code)]
    return [
        parse_ack(reply, sequence + shift)
        for sequence, reply in split(bytes(data[:size]), size)
        if reply.type == NLMSG_ERROR
    ]


def _repeated_request(reply: Reply, start: int) -> int:
    """Return how many bytes of the request stand in an acknowledgement."""
    if reply.stop - start < NLMSGHDR.size:
        raise DecodeError("nlmsgerr", "the header of the request is missing")
    if reply.flags & NLM_F_CAPPED:
        return NLMSGHDR.size
    length: int = NLMSGHDR.unpack_from(reply.data, start)[0]
    return (length + 3) & ~3
