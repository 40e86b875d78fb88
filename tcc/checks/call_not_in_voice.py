"""`call-not-in-voice`."""

from collections.abc import Iterator

from tcc.checks.loads import parts
from tcc.checks.view import CAKES, View
from tcc.diagnostics import Diagnostic, note
from tcc.dscp import name_of
from tcc.ir import Part

VOICE = {
    "diffserv3": frozenset({44, 46, 48, 56}),
    "diffserv4": frozenset({32, 40, 44, 46, 48, 56}),
}
"""The code points of each mode's voice tin (diffserv3[] and diffserv4[] in sch_cake.c)."""
CALL = 46
"""EF, the mark of a call that says none."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a note for calls in a load whose mark does not bring them into the voice tin."""
    seen: set[tuple[int | str, int]] = set()
    for asked in view.asked:
        calls = [part for part in parts(view, asked) if part.kind == "voip"]
        for side in asked.sides if calls else ():
            mode = side.shaping.tiers or side.option("diffserv") or "diffserv3"
            if side.kind not in CAKES or mode not in VOICE:
                continue
            taken = {
                value
                for tier in view.policy.tiers_of(side.link)
                for match in tier.matches
                for value in match.dscp
            }
            for call in calls:
                mark = CALL if call.dscp is None else call.dscp
                if mark in VOICE[mode] or mark in taken or (side.path[1], mark) in seen:
                    continue
                seen.add((side.path[1], mark))
                yield _elsewhere(view, call, mark, mode)


def _elsewhere(view: View, call: Part, mark: int, mode: str) -> Diagnostic:
    place = next(
        (
            view.span("workloads", number, "parts", index)
            for number, workload in enumerate(view.policy.workloads)
            for index, part in enumerate(workload.parts)
            if part is call
        ),
        None,
    )
    return note(
        "call-not-in-voice",
        place,
        f"{name_of(mark)} does not lead to {mode}'s voice tin",
        "these calls wait with the transfers; in diffserv3 CS5 and AF4x are Best Effort",
        f"mark them ef, or write: tier calls as voice {{ match dscp {name_of(mark)} }}",
    )
