"""What is lost of a CAKE when a system can say only some of its settings."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from tcc.express.losses import Loss
from tcc.lower import LoweredQdisc
from tcc.plugin import Verdict, qdisc
from tcc.tcwords.cake import CakeSaid, said_by

CAKES: Final = ("cake", "cake_mq")
CLAUSE_OF: Final[Mapping[str, str]] = {
    "rate": "bandwidth", "autorate": "qdisc", "mode": "tiers", "flow": "fairness", "nat": "role",
    "wash": "dscp", "ingress": "ingress", "ack": "ack-filter", "split": "gso", "rtt": "rtt",
    "raw": "framing", "cells": "framing", "overhead": "framing", "mpu": "framing",
    "memlimit": "memory", "fwmark": "mark",
}  # fmt: skip
"""The clause that a policy sets each of CAKE's settings with."""
_FRAMING: Final = ("raw", "cells", "overhead", "mpu")


class Reasons(NamedTuple):
    """Why a system does not do as asked: for each setting a reason, and what can be done."""

    system: str
    """Its name in messages: `networkd`."""
    because: Mapping[str, str]
    """By setting."""
    cures: Mapping[str, str]


def is_cake(lowered: LoweredQdisc) -> bool:
    """Whether a lowered qdisc is a CAKE, of one queue or of several."""
    return lowered.kind in CAKES and lowered.settings is not None


def said_of(lowered: LoweredQdisc) -> CakeSaid:
    """Return the settings of a lowered CAKE by tc's words."""
    return said_by(qdisc(lowered.kind).command(lowered.settings))


def cake_losses(lowered: LoweredQdisc, kept: CakeSaid, reasons: Reasons) -> Iterator[Loss]:
    """Yield what is lost when `kept` is what a system makes of a CAKE.

    A rate or a time that only became less exact is approximated; all else is refused.
    """
    wanted = said_of(lowered)
    seen: set[str] = set()
    for name in CakeSaid._fields:
        want, have = getattr(wanted, name), getattr(kept, name)
        clause = CLAUSE_OF[name]
        if want == have or clause in seen:
            continue
        seen.add(clause)
        close = _is_close(name, want, have)
        cure = reasons.cures.get(name)
        yield Loss(
            lowered.wish,
            clause,
            _message(reasons, name, (wanted, kept), close=close),
            tuple(filter(None, (reasons.because.get(name), cure))),
            Verdict.APPROXIMATED if close else Verdict.REFUSED,
        )


def _is_close(name: str, want: int, have: int) -> bool:
    """Whether a number differs by no more than rounding to the system's unit does."""
    return name in ("rate", "rtt") and have > 0 and abs(want - have) * 20 <= want


def _message(reasons: Reasons, name: str, pair: tuple[CakeSaid, CakeSaid], *, close: bool) -> str:
    want, have = (_shown(name, said) for said in pair)
    if close:
        by = abs(getattr(pair[0], name) - getattr(pair[1], name))
        unit = "bit/s" if name == "rate" else "us"
        return f"{reasons.system} makes {have} of {want}, {by}{unit} off"
    return f"{reasons.system} has no way to say `{want}`: it would be `{have}`"


def _shown(name: str, said: CakeSaid) -> str:
    """Return a setting in tc's words."""
    value = getattr(said, name)
    if name in _FRAMING:
        base = f"{'raw ' if said.raw else ''}overhead {said.overhead} {said.cells}"
        return base + (f" mpu {said.mpu}" if said.mpu else "")
    said_as: dict[str, Callable[[], str]] = {
        "rate": lambda: f"{value}bit" if value else "unlimited",
        "autorate": lambda: "autorate-ingress" if value else "a rate that stays",
        "nat": lambda: "nat" if value else "nonat",
        "wash": lambda: "wash" if value else "nowash",
        "ingress": lambda: "ingress" if value else "egress",
        "split": lambda: "split-gso" if value else "no-split-gso",
        "rtt": lambda: f"rtt {value}us",
        "memlimit": lambda: f"memlimit {value}" if value else "a memlimit of the kernel's choice",
        "fwmark": lambda: f"fwmark {value:#x}",
    }
    return said_as[name]() if name in said_as else str(value)
