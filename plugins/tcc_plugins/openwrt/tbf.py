"""TBF in sqm's words: `simplest_tbf.qos`, which leaves hardly anything to choose.

It makes a bucket of 1 ms of the rate, a latency of 300 ms, and fq_codel inside. What a policy
asks for by name and would not get is an error at the words that ask for it.
"""

from collections.abc import Iterator, Mapping

from tcc.diagnostics import Diagnostic, note
from tcc.ir import WireSize
from tcc.lower import LoweredQdisc

INNER = "fq_codel"
FIXED = {
    "burst": "1 ms of the rate, at least one frame",
    "latency": "300 ms",
    "limit": "300 ms",
    "peak": "none",
    "mtu": "none",
}


def ends_of_tbf(ends: Mapping[str, LoweredQdisc]) -> list[Diagnostic]:
    """Return what the script would do otherwise than asked."""
    return [finding for one in ends.values() for finding in _findings(one)]


def size_for_tbf(one: LoweredQdisc, framing: WireSize) -> WireSize:
    """Return the framing on top of what the kernel counts for a size table.

    CAKE counts from the IP header, a size table from the link-layer header; the settings of tbf
    have had the difference taken off.
    """
    return framing._replace(overhead=getattr(one.settings, "overhead", 0))


def _findings(one: LoweredQdisc) -> Iterator[Diagnostic]:
    wish = one.wish
    asked = wish.shaping.qdisc.options if wish.shaping.qdisc else None
    for name, value in FIXED.items():
        if asked is not None and getattr(asked, name, None) is not None:
            yield wish.cannot(
                "qdisc",
                "sqm-cannot",
                f"sqm does not let you choose the {name} of tbf: it takes {value}",
                "leave it out",
                span=wish.at_option(name),
            )
    inner = one.children[0].kind if one.children else INNER
    if inner != INNER:
        span = wish.at_option("inner")
        yield wish.cannot(
            "qdisc", "sqm-cannot", f"sqm puts {INNER} inside tbf, not {inner}",
            f"write `inner {INNER}`", span=span,
        )  # fmt: skip
    if wish.shaping.backpressure is not None:
        yield wish.cannot(
            "backpressure",
            "sqm-cannot",
            "sqm cannot size the queue for senders that should wait",
            "it limits the inner queue itself",
        )
    yield note(
        "sqm-queue-burst",
        wish.at("qdisc"),
        "sqm chooses burst and latency of tbf itself: 1 ms of the rate, and 300 ms",
    )
