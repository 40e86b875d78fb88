"""The qdiscs that sqm-scripts makes of a configuration: whole kbit/s, and a tbf of its own.

Sources: sqm-scripts 1.6 and 1.7, `get_burst()` in functions.sh and `simplest_tbf.qos`.
"""

from dataclasses import replace
from typing import Any

from tcc.ir import Bandwidth, QdiscChoice, document
from tcc.lower import LoweredQdisc, lower_link
from tcc.plugin import Wish, qdisc
from tcc.tcwords.sqm import KBIT, tbf_burst
from tcc.units import NS_PER_MS

TBF_LATENCY = 300 * NS_PER_MS


def emitted(lowered: LoweredQdisc) -> LoweredQdisc:
    """Return what comes of a qdisc on a router that sqm configures.

    The wish stays as it was said: utilisation counts against the rate that was asked for.
    """
    wish = lowered.wish
    bandwidth = wish.shaping.bandwidth
    if bandwidth is None or not isinstance(bandwidth.rate, int):
        return lowered
    rate = bandwidth.rate // KBIT * KBIT
    changed: dict[str, Any] = {"bandwidth": Bandwidth(rate=rate)}
    if lowered.kind == "tbf":
        changed["qdisc"] = _tbf(rate, wish)
    shaping = replace(wish.shaping, **changed)
    return replace(lower_link(replace(wish, shaping=shaping)), wish=wish)


def _tbf(rate: int, wish: Wish) -> QdiscChoice:
    """Return `simplest_tbf`: its own bucket and latency, and inside what was asked for."""
    asked = wish.shaping.qdisc.options if wish.shaping.qdisc else None
    inner = getattr(asked, "inner", None) or QdiscChoice(kind="fq_codel")
    model = qdisc("tbf").options_model
    options = document.read(
        model,
        {"burst": tbf_burst(rate // KBIT, wish.device.mtu), "latency": TBF_LATENCY, "inner": inner},
    )
    return QdiscChoice(kind="tbf", options=options)
