"""What a search may turn, and how far: bandwidth, the AQM's round trip, memory, or `--vary`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tcc import api
from tcc.diagnostics import Diagnostic, error
from tcc.ir import Bandwidth, Shaping
from tcc.source import Span
from tcc.sweep.axes import ARGUMENT, Axis
from tcc.sweep.grid import Grid
from tcc.sweep.places import Place, places
from tcc.sweep.plan import misfits
from tcc.sweep.tune.goal import Goal, words_of
from tcc.sweep.work import Setup
from tcc.units import format_duration, format_rate, read_quantity, whole

DIRECTIONS = ("egress", "ingress")
CAKES = ("cake", "cake_mq", "auto", None)
DIGITS = 3
"""Rates that are tried have so many digits: nobody writes more into a policy."""
COARSE = 5
LOWEST = (1, 2)
"""The lowest rate that is tried, as a share of what the line carries."""
PATIENCE = ((1, 2), (1, 1), (2, 1), (5, 1))
"""Values of `rtt` that are tried, in round trips of the path."""
MEMORIES = ("1MiB", "4MiB", "16MiB")
NOWHERE = Span(ARGUMENT, 0, 0)


@dataclass(frozen=True, slots=True)
class Knob:
    """One thing that may be turned.

    Attributes:
        axis: where it is, and the values that are tried first, in their order.
        fine: whether values between two of them are tried too.
        behind: what follows such a value in the policy: `within MIN..MAX`.
        last: whether it is turned only while nothing else is enough.
    """

    axis: Axis
    fine: bool = False
    behind: str = ""
    last: bool = False

    @property
    def name(self) -> str:
        """Return the parameter's name."""
        return self.axis.name

    def between(self, low: str, high: str) -> str | None:
        """Return a value halfway between two; None where there is no rounder one."""
        first, last = (read_quantity(one.removesuffix(self.behind).strip()) for one in (low, high))
        if first is None or last is None:
            return None
        middle = rounded(whole((first.amount + last.amount) / 2))
        if not first.amount < middle < last.amount or middle - first.amount < last.amount / 100:
            return None
        return f"{format_rate(middle)} {self.behind}".strip()


def rounded(rate: int) -> int:
    """Return a rate with three digits, not above what it was.

    >>> rounded(38_456_789)
    38400000
    """
    step: int = 10 ** max(0, len(str(rate)) - DIGITS)
    return rate // step * step


def line_rate(goal: Goal, direction: str) -> int | None:
    """Return what the line carries in a direction (bit/s), as far as the policy says.

    That is what is beyond the shaper, the upper end of `within`, or the bandwidth as it is.
    """
    shaping: Shaping | None = getattr(goal.link, direction)
    asked = shaping.bandwidth if shaping else None
    beyond: int | None = goal.testbed.beyond if goal.testbed else None
    if beyond is not None:
        return int(beyond)
    if asked is None or asked.rate == "unlimited":
        return None
    most: int = asked.maximum or asked.rate
    return int(most)


def knobs(goal: Goal, vary: Sequence[Axis]) -> list[Knob]:
    """Return what may be turned: what `--vary` names, else what the link's qdiscs have."""
    if vary:
        return [Knob(axis, _is_rates(axis)) for axis in vary]
    named = [way for way in DIRECTIONS if way in words_of(goal.wish.metric)] or DIRECTIONS
    others = [way for way in DIRECTIONS if way not in named]
    first = [one for way in named for one in _of_direction(goal, way)]
    return first + [replace(one, last=True) for way in others for one in _of_direction(goal, way)]


def ready(
    goal: Goal, setup: Setup, vary: Sequence[Axis]
) -> tuple[list[tuple[Knob, Sequence[Place]]], list[Diagnostic]]:
    """Return the knobs with the places of their values, and what stands against them.

    Codes: sweep-param, sweep-value, tune-goal.
    """
    whole = api.load(goal.source, setup.given)
    turned: list[tuple[Knob, Sequence[Place]]] = []
    found: list[Diagnostic] = []
    for knob in knobs(goal, vary):
        where = places(whole, knob.axis)
        if isinstance(where, Diagnostic):
            found.append(where)
        else:
            turned.append((knob, where))
    if not turned and not found:
        found.append(
            error(
                "tune-goal", None, f"link {goal.link.name} has no bandwidth that could be turned",
                "give it one, or say what to turn with --vary",
            )
        )  # fmt: skip
    if vary and not found:
        axes, spots = [knob.axis for knob, _ in turned], tuple(place for _, place in turned)
        found += misfits(Grid(goal.source, setup, tuple(axes), spots, (), ()))
    return turned, found


def _is_rates(axis: Axis) -> bool:
    """Whether an axis is one range of rates."""
    return (
        len(axis.values) > 1
        and set(axis.spans) == {axis.spans[0]}
        and axis.values[0].endswith("bit")
    )


def _of_direction(goal: Goal, direction: str) -> Iterator[Knob]:
    shaping: Shaping | None = getattr(goal.link, direction)
    rate = line_rate(goal, direction)
    if shaping is None or shaping.bandwidth is None or rate is None:
        return
    path = f"{goal.link.name}.{direction}"
    yield _bandwidth(path, shaping.bandwidth, rate)
    if (shaping.qdisc.kind if shaping.qdisc else None) in CAKES:
        waits = [goal.rtt * up // down for up, down in PATIENCE]
        yield Knob(_axis(f"{path}.rtt", map(format_duration, waits)))
        yield Knob(_axis(f"{path}.memory", MEMORIES))


def _bandwidth(path: str, asked: Bandwidth, line: int) -> Knob:
    low = asked.minimum or line * LOWEST[0] // LOWEST[1]
    behind = ""
    if asked.minimum is not None and asked.maximum is not None:
        behind = f"within {format_rate(asked.minimum)}..{format_rate(asked.maximum)}"
    rates = [low + (line - low) * step // (COARSE - 1) for step in range(COARSE)]
    values = [f"{format_rate(rounded(rate))} {behind}".strip() for rate in rates]
    return Knob(_axis(f"{path}.bandwidth", values), fine=True, behind=behind)


def _axis(name: str, values: "Iterator[str] | Sequence[str]") -> Axis:
    distinct = tuple(dict.fromkeys(values))
    return Axis(name, distinct, NOWHERE, (NOWHERE,) * len(distinct))
