"""`direction-contradicts`."""

from collections.abc import Iterator

from tcc.checks.view import View, inward
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the qdisc's block says the other direction."""
    for side in view.sides:
        said = side.option("direction")
        if said is None or said == side.direction:
            continue
        if side.direction == "egress" and inward(side.link):
            continue  # downloads that leave towards the hosts have used the line already
        effect = (
            "drops would be charged as if the packets had crossed the line, so uploads get less"
            if said == "ingress"
            else "drops would not be charged though the packets have crossed the line already: "
            "under load more comes in than the rate"
        )
        yield warning(
            "direction-contradicts",
            view.at_option(side, "direction"),
            f"`{said}` inside `{side.direction}`",
            effect,
            f"leave `{said}` out: the direction says it",
        )
