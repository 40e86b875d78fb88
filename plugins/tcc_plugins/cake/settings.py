"""CAKE's settings as the kernel keeps them, on the wire and as tc's words.

What is sent is complete, because a change merges: an attribute that is absent keeps its old
value (cake_change() in net/sched/sch_cake.c). What comes back is compared as the kernel
stores it, which is narrower than what it takes: it checks no ranges and cuts silently.

Sources: cake_change() and cake_dump() in net/sched/sch_cake.c; include/uapi/linux/pkt_sched.h;
tc-cake(8) and q_cake.c of iproute2 for the words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from tcc.netlink.kinds import decode_options, encode_options
from tcc.netlink.wire import Pair
from tcc.plugin import Difference

# The position of a word is the kernel's number for it.
DIFFSERV = ("diffserv3", "diffserv4", "diffserv8", "besteffort", "precedence")
FLOW_MODES = (
    "flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost",
    "triple-isolate",
)  # fmt: skip
CELLS = ("none", "atm", "ptm")
CELL_WORDS = ("noatm", "atm", "ptm")
ACK_FILTERS = ("off", "on", "aggressive")
ACK_FILTER_WORDS = ("no-ack-filter", "ack-filter", "ack-filter-aggressive")

TARGETS_PER_INTERVAL = 20
OVERHEADS = range(-64, 257)
MPUS = range(257)


@dataclass(frozen=True, slots=True)
class CakeSettings:
    """Everything that can be said to `cake` and `cake_mq`; the defaults are the kernel's.

    Enumerations are the kernel's numbers: an index into DIFFSERV, FLOW_MODES, CELLS and
    ACK_FILTERS. `moves` is not for the kernel: the slowest and fastest rate between which
    a daemon moves this one, so that a rate found between them is as wanted.
    """

    rate: int = 0
    """Bytes per second; 0 is unlimited."""
    diffserv: int = 0
    flow_mode: int = 7
    nat: bool = False
    wash: bool = False
    ingress: bool = False
    ack_filter: int = 0
    split_gso: bool = True
    interval: int = 100_000
    """CoDel's interval in us, which tc calls rtt."""
    target: int = 5_000
    """CoDel's target in us."""
    raw: bool = True
    """Sizes start at the link-layer header, as they do until somebody sets an overhead."""
    overhead: int = 0
    atm: int = 0
    mpu: int = 0
    memory: int = 0
    """Bytes; 0 lets the kernel choose."""
    fwmark: int = 0
    autorate: bool = False
    moves: tuple[int, int] | None = None
    """Bytes per second, or None for a rate that stays."""


def target_of(interval: int) -> int:
    """Return the target that tc derives from an interval, both in us."""
    return max(1, interval // TARGETS_PER_INTERVAL)


def encode(settings: CakeSettings) -> bytes:
    """Return the payload of TCA_OPTIONS, every attribute included.

    OVERHEAD is sent always, because its presence makes sizes start at the network header;
    RAW only when wanted, because its presence makes them start at the link-layer header
    again and its value does not count.

    Raises:
        EncodeError: a value that its attribute cannot carry.
    """
    pairs: list[Pair] = [
        ("BASE_RATE64", settings.rate),
        ("FLOW_MODE", settings.flow_mode),
        ("RTT", settings.interval),
        ("TARGET", settings.target),
        ("MEMORY", settings.memory),
        ("AUTORATE", int(settings.autorate)),
        ("INGRESS", int(settings.ingress)),
        ("ACK_FILTER", settings.ack_filter),
        ("NAT", int(settings.nat)),
        ("DIFFSERV_MODE", settings.diffserv),
        ("WASH", int(settings.wash)),
        ("OVERHEAD", settings.overhead),
        ("ATM", settings.atm),
        ("MPU", settings.mpu),
        ("SPLIT_GSO", int(settings.split_gso)),
        ("FWMARK", settings.fwmark),
    ]
    if settings.raw:
        pairs.append(("RAW", 0))
    return encode_options("cake", pairs)


def decode(payload: bytes) -> CakeSettings:
    """Return the settings that a dump, or a request on a fresh qdisc, stands for.

    Raises:
        DecodeError: malformed attributes.
    """
    said: Mapping[str, int] = dict(cast("list[tuple[str, int]]", decode_options("cake", payload)))
    kernel = CakeSettings()
    return as_stored(
        CakeSettings(
            rate=said.get("BASE_RATE64", kernel.rate),
            diffserv=said.get("DIFFSERV_MODE", kernel.diffserv),
            flow_mode=said.get("FLOW_MODE", kernel.flow_mode),
            nat=bool(said.get("NAT")),
            wash=bool(said.get("WASH")),
            ingress=bool(said.get("INGRESS")),
            ack_filter=said.get("ACK_FILTER", kernel.ack_filter),
            split_gso=bool(said.get("SPLIT_GSO", kernel.split_gso)),
            interval=said.get("RTT", kernel.interval),
            target=said.get("TARGET", kernel.target),
            raw="RAW" in said or "OVERHEAD" not in said,
            overhead=said.get("OVERHEAD", kernel.overhead),
            atm=said.get("ATM", kernel.atm),
            mpu=said.get("MPU", kernel.mpu),
            memory=said.get("MEMORY", kernel.memory),
            fwmark=said.get("FWMARK", kernel.fwmark),
            autorate=bool(said.get("AUTORATE")),
        )
    )


def as_stored(settings: CakeSettings) -> CakeSettings:
    """Return what the kernel keeps of `settings`: narrower fields, and no zero times."""
    return replace(
        settings,
        diffserv=settings.diffserv & 0xFF,
        flow_mode=settings.flow_mode & 0x3F,
        ack_filter=settings.ack_filter & 0xFF,
        interval=settings.interval or 1,
        target=settings.target or 1,
        overhead=((settings.overhead + 0x8000) & 0xFFFF) - 0x8000,
        atm=settings.atm & 0xFF,
        mpu=settings.mpu & 0xFFFF,
    )


def differences(wanted: CakeSettings, observed: CakeSettings) -> Sequence[Difference]:
    """Compare what the kernel would dump of each.

    The rate is nobody's to compare while autorate-ingress moves it in the kernel, nor
    inside the bounds of a daemon that moves it from outside.
    """
    want, have = as_stored(wanted), as_stored(observed)
    if _rate_is_free(want, have):
        have = replace(have, rate=want.rate)
    return [
        Difference(name, printed, found)
        for (name, printed), found in zip(
            describe(want).items(), describe(have).values(), strict=True
        )
        if printed != found
    ]


def _rate_is_free(wanted: CakeSettings, observed: CakeSettings) -> bool:
    if wanted.autorate and observed.autorate:
        return True
    return wanted.moves is not None and wanted.moves[0] <= observed.rate <= wanted.moves[1]


def _word(words: Sequence[str], number: int) -> str:
    return words[number] if number < len(words) else str(number)


def describe(settings: CakeSettings) -> Mapping[str, str]:
    """Return every setting in words for people, named as tc names them."""
    return {
        "bandwidth": f"{8 * settings.rate}bit" if settings.rate else "unlimited",
        "autorate-ingress": _yes(settings.autorate),
        "diffserv": _word(DIFFSERV, settings.diffserv),
        "flow mode": _word(FLOW_MODES, settings.flow_mode),
        "nat": _yes(settings.nat),
        "wash": _yes(settings.wash),
        "ingress": _yes(settings.ingress),
        "ack-filter": _word(ACK_FILTERS, settings.ack_filter),
        "split-gso": _yes(settings.split_gso),
        "rtt": f"{settings.interval}us",
        "target": f"{settings.target}us",
        "raw": _yes(settings.raw),
        "overhead": f"{settings.overhead}",
        "cells": _word(CELLS, settings.atm),
        "mpu": f"{settings.mpu}",
        "memlimit": f"{settings.memory}b" if settings.memory else "automatic",
        "fwmark": f"{settings.fwmark:#x}",
    }


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def command(settings: CakeSettings) -> Sequence[str]:
    """Return tc's words for `settings`, in an order that means the same on every reading.

    Numbers only: presets would add to the numbers before them, `raw` sets the overhead to
    zero and `bandwidth` turns autorate-ingress off, so those two come first. The words
    are for a fresh qdisc: tc sends no mpu, memlimit or fwmark of 0, so on a live one it
    cannot take them back. tc derives the target from rtt and has no word for another one.
    """
    words = ["bandwidth", f"{8 * settings.rate}bit"] if settings.rate else ["unlimited"]
    if settings.autorate:
        words.append("autorate-ingress")
    words += [
        _word(DIFFSERV, settings.diffserv),
        _word(FLOW_MODES, settings.flow_mode),
        "nat" if settings.nat else "nonat",
        "wash" if settings.wash else "nowash",
        "ingress" if settings.ingress else "egress",
        _word(ACK_FILTER_WORDS, settings.ack_filter),
        "split-gso" if settings.split_gso else "no-split-gso",
        "rtt",
        f"{settings.interval}us",
    ]
    if settings.raw:
        words.append("raw")
    words += [_word(CELL_WORDS, settings.atm), "overhead", f"{settings.overhead}"]
    if settings.mpu:
        words += ["mpu", f"{settings.mpu}"]
    if settings.memory:
        words += ["memlimit", f"{settings.memory}"]
    if settings.fwmark:
        words += ["fwmark", f"{settings.fwmark:#x}"]
    return words
