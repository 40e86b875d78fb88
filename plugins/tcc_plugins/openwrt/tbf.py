"""TBF in sqm's words: `simplest_tbf.qos`, which leaves hardly anything of the bucket to choose.

It makes a bucket of 1 ms of the rate, at least a full frame on an ATM line, and a latency of
300 ms. What waits inside is chosen by `qdisc`, and its options by the text that goes to tc.
"""

from collections.abc import Iterator

from tcc.express import Loss
from tcc.lower import LoweredQdisc
from tcc.plugin import Verdict, qdisc
from tcc.tcwords.sqm import KBIT, tbf_burst

SCRIPT = "simplest_tbf.qos"
INNER = ("fq_codel", "sfq")
FIXED = {
    "burst": "1 ms of the rate, at least one frame",
    "latency": "300 ms",
    "limit": "300 ms",
    "peak": "none",
    "mtu": "none",
}


def inner_of(one: LoweredQdisc) -> tuple[str, str]:
    """Return the kind inside, and its options in tc's words."""
    if not one.children or one.children[0].kind not in INNER:
        return INNER[0], ""
    child = one.children[0]
    return child.kind, " ".join(qdisc(child.kind).command(child.settings))


def losses(one: LoweredQdisc) -> Iterator[Loss]:
    """Yield what the script does otherwise than asked."""
    wish = one.wish
    asked = wish.shaping.qdisc.options if wish.shaping.qdisc else None
    for name, value in FIXED.items():
        if asked is not None and getattr(asked, name, None) not in (None, "auto"):
            yield Loss(
                wish, name, f"sqm does not let you choose the {name} of tbf: it takes {value}",
                ("leave it out",), span=wish.at_option(name), code="sqm-cannot", within="qdisc",
            )  # fmt: skip
    inner = one.children[0].kind if one.children else INNER[0]
    if inner not in INNER:
        yield Loss(
            wish, "inner", f"sqm can put {' or '.join(INNER)} inside tbf, not {inner}",
            (f"write `inner {INNER[0]}`",), span=wish.at_option("inner"), code="sqm-cannot",
            within="qdisc",
        )  # fmt: skip
    if wish.shaping.backpressure is not None:
        yield Loss(
            wish, "backpressure", "sqm cannot size the queue for senders that should wait",
            ("its bucket and its latency are its own",), code="sqm-cannot",
        )  # fmt: skip
    if asked is None or getattr(asked, "burst", None) in (None, "auto"):
        yield _own_burst(one)


def _own_burst(one: LoweredQdisc) -> Loss:
    settings, wish = one.settings, one.wish
    rate, burst = (getattr(settings, name) for name in ("rate", "burst"))
    own = tbf_burst(8 * rate // KBIT, wish.device.mtu)
    return Loss(
        wish, "burst",
        f"sqm chooses burst and latency of tbf itself: {own}B (not {burst}B), and 300 ms",
        verdict=Verdict.APPROXIMATED, span=wish.at("qdisc"), code="sqm-queue-burst",
    )  # fmt: skip
