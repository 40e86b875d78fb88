"""`voice-tin-below-call`."""

from collections.abc import Iterator

from tcc.checks.view import CAKES, View
from tcc.checks.wire import on_wire
from tcc.diagnostics import Diagnostic, Severity
from tcc.units import format_rate

SHARE = 4
"""The rate over the voice tin's threshold (cake_config_diffserv3(), cake_config_diffserv4())."""
MODES = ("diffserv3", "diffserv4")
CALL_PACKET, CALL_PACKETS = 60, 50
"""Bytes and packets per second of a G.729 call: 20 ms of 8 kbit/s, RTP, UDP and IPv4 headers."""
SLOWEST = 64_000
"""bit/s below which the rate itself is what is wrong."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where a voice tier's tin keeps less than one call of the thriftiest kind."""
    common = [index for index, tier in enumerate(view.policy.tiers) if tier.tin == "voice"]
    for side in view.sides:
        mode = side.shaping.tiers or side.option("diffserv") or "diffserv3"
        if side.rate is None or side.rate < SLOWEST or side.kind not in CAKES or mode not in MODES:
            continue
        own = [index for index, tier in enumerate(side.link.tiers) if tier.tin == "voice"]
        if not own and not common:
            continue
        call = 8 * CALL_PACKETS * on_wire(CALL_PACKET, side.wire)
        kept = side.rate // SHARE
        if kept >= call:
            continue
        path = (*side.path[:2], "tiers", own[0]) if own else ("tiers", common[0])
        place = view.span(*path)
        yield Diagnostic(
            "voice-tin-below-call",
            Severity.WARNING,
            f"{format_rate(side.rate)} leaves the voice tin {format_rate(kept)}: less than a call",
            view.at_either(side, "bandwidth", "bandwidth"),
            hints=(
                f"a G.729 call takes {format_rate(call)} on this line; above a quarter of the rate "
                "the tin comes after all others, so on a full line every call breaks up",
                "was mbit meant?" if side.rate < 1_000_000 else "write a higher rate",
            ),
            related=(("the voice tier", place),) if place else (),
        )
