"""`mark-masks-overlap`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, Severity
from tcc.ir import Tier
from tcc.source import Span


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where bits of the packet mark are to mean two things.

    Either two masks share some bits and not all, or a tier asks for bits of a mask, which
    choose a tin by themselves.
    """
    masks: dict[int, Span | None] = {}
    for side in view.sides:
        mask = side.shaping.mark_mask or side.option("fwmark")
        if not mask or mask in masks:
            continue
        span = view.at_either(side, "mark_mask", "fwmark")
        shared = next((other for other in masks if other & mask), None)
        if shared is not None:
            yield _shared(span, f"the masks {shared:#x} and {mask:#x} share bits", masks[shared])
        if len(masks) < 32:  # of more than 32 masks two share a bit, and that has been said
            masks[mask] = span
    every = 0
    for mask in masks:
        every |= mask
    for number, tier in enumerate(view.policy.tiers):
        yield from _of_tier(view, tier, number, every)


def _of_tier(view: View, tier: Tier, number: int, every: int) -> Iterator[Diagnostic]:
    for index, match in enumerate(tier.matches):
        for mark in match.marks:
            if mark.mask != 2**32 - 1 and mark.mask & every:
                span = view.span("tiers", number, "matches", index, "marks")
                yield _shared(span, f"the tier asks for bits of the mark mask {every:#x}", None)
                break


def _shared(span: Span | None, message: str, other: Span | None) -> Diagnostic:
    return Diagnostic(
        "mark-masks-overlap",
        Severity.WARNING,
        message,
        span,
        hints=(
            "a packet has one mark of 32 bits: a value set for one use chooses a tin for the other",
            "give each use bits of its own",
        ),
        related=(("the other mask", other),) if other else (),
    )
