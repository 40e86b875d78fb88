"""`fairness-turned`."""

from collections.abc import Iterator

from tcc.checks.view import Side, View, inward
from tcc.diagnostics import Diagnostic, Fix, Severity

PAIRS = (
    ("dual-srchost", "dual-dsthost"), ("srchost", "dsthost"), ("per-source", "per-destination"),
)  # fmt: skip
"""What tells hosts apart by the sender, and by the receiver."""


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the far ends share the line fairly, and not the hosts."""
    for side in view.sides:
        role = side.link.role
        mode = side.shaping.fairness or side.option("flow_mode")
        pair = next((pair for pair in PAIRS if mode in pair), None)
        if role is None or pair is None:
            continue
        turned = role.kind == "host" or inward(side.link)
        wanted = pair[(side.direction == "egress") is turned]
        if mode != wanted:
            yield _turned(view, side, mode, wanted)


def _turned(view: View, side: Side, mode: str, wanted: str) -> Diagnostic:
    said = side.shaping.fairness is not None
    span = view.at_either(side, "fairness", "flow_mode")
    word = "senders" if mode.endswith(("srchost", "source")) else "receivers"
    return Diagnostic(
        "fairness-turned",
        Severity.WARNING,
        f"on {side.direction} with this role the {word} are not the hosts to be fair to",
        span,
        hints=(
            f"`{mode}` shares between the far ends: a host that talks to many gets many shares",
            f"write `{wanted}`"
            + (", or `fairness per-host`, which knows the side" if said else ""),
        ),
        fixes=(Fix(f"write `{wanted}`", span, wanted, safe=False),) if span else (),
    )
