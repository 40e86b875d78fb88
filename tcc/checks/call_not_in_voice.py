"""`call-not-in-voice`."""

from collections.abc import Iterable, Iterator

from tcc.checks.view import CAKES, View
from tcc.diagnostics import Diagnostic, note
from tcc.dscp import name_of
from tcc.ir import Tier

VOICE = {
    "diffserv3": frozenset({44, 46, 48, 56}),
    "diffserv4": frozenset({32, 40, 44, 46, 48, 56}),
}
"""The code points of each mode's voice tin (diffserv3[] and diffserv4[] in sch_cake.c)."""
CALL = 46
"""EF, the mark of a call that says none."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a note for calls in a load whose mark does not bring them into the voice tin."""
    calls = {
        workload.name: [
            (CALL if part.dscp is None else part.dscp, number, index)
            for index, part in enumerate(workload.parts)
            if part.kind == "voip"
        ]
        for number, workload in enumerate(view.policy.workloads)
    }
    marked = _marked(view.policy.tiers)
    for name, mode, tiers in _heard(view):
        led = VOICE[mode] | marked | _marked(tiers)
        for mark, number, index in calls.get(name, ()):
            if mark not in led:
                yield note(
                    "call-not-in-voice",
                    view.span("workloads", number, "parts", index),
                    f"{name_of(mark)} does not lead to {mode}'s voice tin",
                    "these calls wait with the transfers; in diffserv3 CS5 and AF4x are Best "
                    "Effort",
                    f"mark them ef, or write: tier calls as voice {{ match dscp {name_of(mark)} }}",
                )


def _heard(view: View) -> Iterable[tuple[str, str, tuple[Tier, ...]]]:
    """Return each workload with the mode and the own tiers of a link that it passes."""
    heard: dict[tuple[str, str, int | str], tuple[str, str, tuple[Tier, ...]]] = {}
    for asked in view.asked:
        for side in asked.sides:
            mode = side.shaping.tiers or side.option("diffserv") or "diffserv3"
            if side.kind not in CAKES or mode not in VOICE:
                continue
            for use in asked.objective.under:
                key = (use.name, mode, side.path[1])
                heard.setdefault(key, (use.name, mode, side.link.tiers))
    return heard.values()


def _marked(tiers: Iterable[Tier]) -> frozenset[int]:
    """Return the code points that tiers ask for."""
    return frozenset(value for tier in tiers for match in tier.matches for value in match.dscp)
