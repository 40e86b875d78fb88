"""Filters: requests, schemas, u32's keys, and listing them.

Sources: include/uapi/linux/pkt_cls.h and rtnetlink.h.  In which order a filter
names its attributes is the caller's to choose, and kept.
"""

import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tcc.netlink.actions import ACTIONS
from tcc.netlink.attributes import PAD, Field, Schema, decode, encode
from tcc.netlink.flower import FLOWER
from tcc.netlink.handle import UNSPECIFIED, Handle
from tcc.netlink.messages import (
    NLM_F_CREATE,
    NLM_F_EXCL,
    NLM_F_REPLACE,
    RTM_DELTFILTER,
    RTM_GETTFILTER,
    RTM_NEWTFILTER,
    Message,
)
from tcc.netlink.objects import TCA, TcObject, tc_body
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import (
    NAME,
    RAW,
    TEXT,
    U16,
    U32,
    U64,
    DecodeError,
    EncodeError,
    Pair,
    Raw,
    Record,
    Struct,
)

ETH_P_ALL: Final = 0x0003
ETH_P_IP: Final = 0x0800
ETH_P_IPV6: Final = 0x86DD

BLOCK_IFINDEX: Final = -1  # TCM_IFINDEX_MAGIC_BLOCK, in the signed field where it stands

MATCHALL = Schema(
    "matchall",
    (
        Field(1, "CLASSID", U32),
        Field(2, "ACT", ACTIONS),
        Field(3, "FLAGS", U32),
        Field(4, "PCNT", U64),
        Field(5, "PAD", PAD),
    ),
)
FW = Schema(
    "fw",
    (
        Field(1, "CLASSID", U32),
        Field(2, "POLICE", RAW),
        Field(3, "INDEV", NAME),
        Field(4, "ACT", ACTIONS),
        Field(5, "MASK", U32),
    ),
)
U32_FILTER = Schema(
    "u32",
    (
        Field(1, "CLASSID", U32),
        Field(2, "HASH", U32),
        Field(3, "LINK", U32),
        Field(4, "DIVISOR", U32),
        Field(5, "SEL", RAW),  # `selector` writes it, `parse_selector` reads it
        Field(6, "POLICE", RAW),
        Field(7, "ACT", ACTIONS),
        Field(8, "INDEV", NAME),
        Field(9, "PCNT", RAW),
        Field(10, "MARK", Struct("val:I mask:I success:I")),
        Field(11, "FLAGS", U32),
        Field(12, "PAD", PAD),
    ),
)
BPF = Schema(
    "bpf",
    (
        Field(1, "ACT", ACTIONS),
        Field(2, "POLICE", RAW),
        Field(3, "CLASSID", U32),
        Field(4, "OPS_LEN", U16),
        Field(5, "OPS", RAW),
        Field(6, "FD", U32),
        Field(7, "NAME", TEXT),
        Field(8, "FLAGS", U32),
        Field(9, "FLAGS_GEN", U32),
        Field(10, "TAG", Raw(8)),
        Field(11, "ID", U32),
    ),
)

FILTER_KINDS: Final[Mapping[str, Schema]] = {
    schema.name: schema for schema in (MATCHALL, FW, U32_FILTER, BPF, FLOWER)
}


def encode_filter(kind: str, pairs: Sequence[Pair]) -> bytes:
    """Return the payload of TCA_OPTIONS for a filter of `kind`.

    Raises:
        EncodeError: an unknown kind or name, or a value outside its range.
    """
    return encode(_schema(kind), pairs)


def decode_filter(kind: str, data: bytes) -> list[Pair]:
    """Return the options of a listed filter.

    Raises:
        EncodeError: an unknown kind.
        DecodeError: malformed data.
    """
    return decode(_schema(kind), data)


def _schema(kind: str) -> Schema:
    schema = FILTER_KINDS.get(kind)
    if schema is None:
        raise EncodeError(kind, f"no such kind of filter here; known: {', '.join(FILTER_KINDS)}")
    return schema


RETURN_ALL: Final = struct.pack("=HBBI", 6, 0, 0, 0xFFFFFFFF)
"""One instruction of classic BPF: BPF_RET | BPF_K, every packet matches."""


def everything(kind: str, acts: Sequence[Sequence[Pair]]) -> bytes:
    """Return the payload of TCA_OPTIONS for a filter that takes every packet to `acts`.

    Raises:
        EncodeError: another kind than matchall, u32 and bpf.
    """
    chain: Pair = ("ACT", list(enumerate(acts, 1)))
    match kind:
        case "matchall":
            return encode_filter(kind, [chain])
        case "u32":
            nothing = U32Key(0, 0, 0)
            return encode_filter(kind, [("SEL", selector([nothing])), chain])
        case "bpf":
            return encode_filter(kind, [("OPS_LEN", 1), ("OPS", RETURN_ALL), chain])
    raise EncodeError(kind, "this kind of filter has no form that matches everything")


U32_TERMINAL: Final = 1
_SELECTOR = Struct("flags:B offshift:B nkeys:B :x offmask:>H off:H offoff:h hoff:h hmask:>I")
_KEY = Struct("mask:>I val:>I off:i offmask:i")


class U32Key(NamedTuple):
    """One comparison of u32: four bytes of the packet at `offset`, a multiple of four.

    `value` and `mask` read as the bytes stand in the packet.  `offset_mask` -1
    counts from the next header (`nexthdr+` in tc).
    """

    value: int
    mask: int
    offset: int
    offset_mask: int = 0


def selector(keys: Sequence[U32Key], flags: int = U32_TERMINAL) -> bytes:
    """Return the payload of u32's SEL: all `keys` must match.

    tc sends a key of zeros where nothing is compared.

    Raises:
        EncodeError: more than 128 keys, an odd offset, a value outside 32 bits.
    """
    if len(keys) > 128:
        raise EncodeError("SEL", f"{len(keys)} keys are outside 0..128")
    parts = [_SELECTOR.encode("SEL", {"flags": flags, "nkeys": len(keys)})]
    for key in keys:
        if key.offset % 4:
            raise EncodeError("SEL.off", f"{key.offset} is no multiple of 4")
        fields = {
            "mask": key.mask,
            "val": key.value,
            "off": key.offset,
            "offmask": key.offset_mask,
        }
        parts.append(_KEY.encode("SEL", fields))
    return b"".join(parts)


def parse_selector(data: bytes) -> tuple[Record, list[U32Key]]:
    """Return the head of u32's SEL, and its keys.

    Raises:
        DecodeError: fewer keys than the head says.
    """
    head = _SELECTOR.decode("SEL", data, 0, len(data))
    keys = []
    for index in range(head["nkeys"]):
        start = _SELECTOR.size + index * _KEY.size
        key = _KEY.decode("SEL", data, start, len(data))
        keys.append(U32Key(key["val"], key["mask"], key["off"], key["offmask"]))
    return head, keys


@dataclass(frozen=True, slots=True)
class FilterMessage:
    """What a request says of one filter.

    Args:
        ifindex: the device; `BLOCK_IFINDEX` makes `parent` the number of a block.
        parent: the qdisc or class, or CLSACT_INGRESS and CLSACT_EGRESS.
        priority: 1 to 65535; lower is earlier.  0 lets the kernel choose.
        protocol: an ETH_P_* number.
        kind, options: empty and None say nothing of them (delete).
        handle: the filter's own; its meaning is the kind's (for fw, the mark).
        chain: where the filter stands; None is chain 0.
    """

    ifindex: int
    parent: Handle
    priority: int
    protocol: int = ETH_P_ALL
    kind: str = ""
    options: bytes | None = None
    handle: int = UNSPECIFIED
    chain: int | None = None

    def body(self) -> bytes:
        """Return the request's body; attributes in tc's order."""
        for name, value in (("priority", self.priority), ("protocol", self.protocol)):
            if not 0 <= value <= 0xFFFF:
                raise EncodeError(name, f"{value} is outside 0..65535")
        pairs: list[Pair] = []
        if self.chain is not None:
            pairs.append(("CHAIN", self.chain))
        if self.kind:
            pairs.append(("KIND", self.kind))
        if self.options is not None:
            pairs.append(("OPTIONS", self.options))
        info = self.priority << 16 | socket.htons(self.protocol)
        return tc_body(self.ifindex, self.handle, self.parent, info, encode(TCA, pairs))


def add(message: FilterMessage) -> Message:
    """Make a filter; EEXIST if there is one with this handle."""
    return Message(RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, message.body())


def change(message: FilterMessage) -> Message:
    """Alter the filter with this handle; ENOENT if there is none."""
    return Message(RTM_NEWTFILTER, 0, message.body())


def replace(message: FilterMessage) -> Message:
    """Make a filter or alter the one with this handle."""
    return Message(RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_REPLACE, message.body())


def delete(message: FilterMessage) -> Message:
    """Remove a filter; without a handle all of the priority, with priority 0 all of the parent."""
    return Message(RTM_DELTFILTER, 0, message.body())


def dump(
    route: RouteSocket, ifindex: int, parent: Handle, chain: int | None = None
) -> list[TcObject]:
    """Return the filters of one parent (or block), of all chains or of one.

    A device or parent that is not there has none.

    Raises:
        KernelRefusal: the kernel would not list.
    """
    attributes = encode(TCA, [] if chain is None else [("CHAIN", chain)])
    message = Message(RTM_GETTFILTER, 0, tc_body(ifindex, 0, parent, 0, attributes))
    return route.dump(message, TcObject)


def priority(found: TcObject) -> int:
    """Return a listed filter's priority."""
    return found.info >> 16


def protocol(found: TcObject) -> int:
    """Return a listed filter's protocol, an ETH_P_* number."""
    number: int = socket.ntohs(found.info & 0xFFFF)
    return number


def chain(found: TcObject) -> int:
    """Return the chain in which a listed filter stands."""
    number = dict(found.attributes).get("CHAIN", 0)
    if not isinstance(number, int):
        raise DecodeError("CHAIN", "it is no number")
    return number
