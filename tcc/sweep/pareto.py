"""The Pareto front: points that no other point beats in one thing without losing in another."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from tcc.sweep.cells import Cells

DELAY = "induced-latency p99"
RATES = {"egress": "egress goodput", "ingress": "ingress goodput"}


class Trade(NamedTuple):
    """What one point gives (more is better) and what it takes (less is better)."""

    point: int
    rate: Fraction
    delay: Fraction


def front(trades: Sequence[Trade]) -> list[Trade]:
    """Return the trades that none beats, fastest first; of equal ones all.

    One beats another when it is at least as good in both things and better in one.
    """
    best: list[Trade] = []
    least: Fraction | None = None  # the least delay of all that are faster
    for trade in sorted(trades, key=lambda one: (-one.rate, one.delay, one.point)):
        equal = best and (trade.rate, trade.delay) == (best[-1].rate, best[-1].delay)
        if equal or least is None or trade.delay < least:
            best.append(trade)
            least = trade.delay
    return best


def trades(cells: Cells, objective: int, direction: str) -> list[Trade]:
    """Return what each point gives and takes under one objective: means over its seeds.

    The rate is the goodput of all transfers in one direction, the delay what the round trip of
    the worst probe grows by in its 99th percentile.
    """
    found = []
    for point, row in enumerate(cells):
        rate, delay = row[objective].mean(RATES[direction]), row[objective].mean(DELAY)
        if rate is not None and delay is not None:
            found.append(Trade(point, rate, delay))
    return found
