"""Charts as what is drawn, apart from how: lines over time, and distributions.

Values are integers in bit/s, ns or a number; a chart picks one unit for all of its lines and
holds thousandths of it, which is what both the drawing and the script read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from tcc.units import NS_PER_S

UNITS = {
    "rate": ((1_000_000_000, "Gbit/s"), (1_000_000, "Mbit/s"), (1_000, "kbit/s"), (1, "bit/s")),
    "delay": ((NS_PER_S, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns")),
    "count": ((1, "packets"),),
}
THOUSANDTHS = 1000
COLOURS = 8
"""Of these many lines each has a colour of its own; beyond, dashes tell them apart."""

Value = int | None


class Scale(NamedTuple):
    """A unit: how many of the smallest, and its name."""

    size: int
    name: str

    def thousandths(self, value: Value) -> Value:
        """Return a value in thousandths of the unit."""
        return None if value is None else value * THOUSANDTHS // self.size


def scale_for(quantity: str, greatest: int) -> Scale:
    """Return the largest unit of which the greatest value is at least two."""
    units = UNITS[quantity]
    found = next((unit for unit in units if greatest >= 2 * unit[0]), units[-1])
    return Scale(*found)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart.

    Attributes:
        name: what it shows.
        values: in the order of time; None for a gap.
        dashed: whether it is a bound of the others rather than one of them.
    """

    name: str
    values: tuple[Value, ...]
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over time.

    Attributes:
        key: names it in the page.
        title: its heading.
        quantity: `rate`, `delay` or `count`.
        lines: all equally long.
        interval: between values (ns).
        duration: of all together (ns); the last interval may be shorter.
        note: what else to know.
    """

    key: str
    title: str
    quantity: str
    lines: tuple[Line, ...]
    interval: int
    duration: int
    note: str = ""

    @property
    def scale(self) -> Scale:
        """Return the unit that suits the greatest value."""
        return scale_for(self.quantity, greatest(line.values for line in self.lines))

    @property
    def marks(self) -> list[int]:
        """Return the values that the chart's lines are drawn between, in thousandths."""
        return _marks(self.quantity, self.scale, self.lines, 5)

    def times(self) -> list[int]:
        """Return when each interval ends, in ms of the measured time."""
        size = max((len(line.values) for line in self.lines), default=0)
        ends = (min(self.duration, self.interval * (number + 1)) for number in range(size))
        return [end // 1_000_000 for end in ends]

    def data(self) -> dict[str, Any]:
        """Return what the script draws."""
        scale = self.scale
        return {
            "key": self.key,
            "unit": scale.name,
            "low": self.marks[0],
            "step": self.interval // 1_000_000,
            "end": self.duration // 1_000_000,
            "lines": [
                {
                    "name": line.name,
                    "dashed": line.dashed,
                    "values": [scale.thousandths(value) for value in line.values],
                }
                for line in self.lines
            ],
        }


@dataclass(frozen=True, slots=True)
class Distribution:
    """Cumulative distributions of delays.

    Attributes:
        title: its heading.
        shares: in thousandths, ascending.
        lines: of each, the delay (ns) below which each share lies.
    """

    title: str
    shares: tuple[int, ...]
    lines: tuple[Line, ...]

    @property
    def scale(self) -> Scale:
        """Return the unit that suits the greatest value."""
        return scale_for("delay", greatest(line.values for line in self.lines))

    @property
    def marks(self) -> list[int]:
        """Return the delays that it is drawn between, in thousandths."""
        return _marks("delay", self.scale, self.lines, 8)


def _marks(quantity: str, scale: Scale, lines: Sequence[Line], wanted: int) -> list[int]:
    """Return round values; delays that are all long need no zero."""
    values = [scale.thousandths(one) or 0 for line in lines for one in line.values
              if one is not None]  # fmt: skip
    low, high = min(values, default=0), max(values, default=0)
    return ticks(low if quantity == "delay" and 2 * low >= high else 0, high, wanted)


def greatest(rows: Any) -> int:  # noqa: ANN401
    """Return the greatest of all values; 0 if there is none."""
    return max((value for row in rows for value in row if value is not None), default=0)


def rates(octets: Sequence[int], interval: int, duration: int) -> tuple[int, ...]:
    """Return bytes in each interval as bit/s."""
    found = []
    for number, size in enumerate(octets):
        length = min(interval, duration - interval * number)
        found.append(size * 8 * NS_PER_S // max(1, length))
    return tuple(found)


def ticks(least: int, most: int, wanted: int) -> list[int]:
    """Return round values from at most `least` to at least `most`, about as many as wanted."""
    step = next(
        factor * 10**power
        for power in count()
        for factor in (1, 2, 5)
        if most - least <= wanted * factor * 10**power
    )
    return list(range(least // step * step, most + step, step))
