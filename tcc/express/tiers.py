"""Tiers on a system that has no rules of ours: which of them are lost there."""

from collections.abc import Iterator, Mapping

from tcc.express.losses import Loss
from tcc.lower import LoweredQdisc

_NEEDS_NONE = ("no rule", "nothing")


def tier_losses(
    ends: Mapping[str, LoweredQdisc], system: str, *hints: str, code: str = ""
) -> Iterator[Loss]:
    """Yield a loss for each tier that CAKE does not sort out by itself.

    Args:
        ends: the qdiscs of one device by direction, with what was explained of tiers.
        system: its name in the message.
        hints: why, and what can be done.
        code: of the finding, if not the usual one.
    """
    for one in ends.values():
        for said in one.explained:
            if said.clause.startswith("tier ") and said.became not in _NEEDS_NONE:
                name = said.clause.removeprefix("tier ")
                yield Loss(
                    one.wish, said.clause,
                    f"{system} is not told by what rules packets get into the tier `{name}`",
                    hints or ("match only DSCPs that CAKE has in that tin by itself",),
                    span=said.span, code=code,
                )  # fmt: skip
