"""Charts drawn as SVG: what is printed, and what is there without a script.

Coordinates are integers, tenths of the pixels in which the sizes are given.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tcc.report.page.charts import COLOURS, THOUSANDTHS, Chart, Distribution, Value, ticks
from tcc.report.page.html import Markup, tag

WIDTH, HEIGHT = 6400, 3000
LEFT, RIGHT, TOP, BOTTOM = 560, 120, 220, 280
ACROSS, DOWN = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
Point = tuple[int, Value]


@dataclass(frozen=True, slots=True)
class Axis:
    """From values to places.

    Attributes:
        marks: values that have a line and a number.
        unit: what the numbers count.
        end: the greatest value that is drawn, where it is not the last mark.
    """

    marks: Sequence[int]
    unit: str
    end: int | None = None

    def place(self, value: int, begin: int, length: int) -> int:
        """Return where a value is on a line from `begin`, so long (negative: upwards)."""
        low = self.marks[0]
        end = self.marks[-1] if self.end is None else self.end
        return begin + (value - low) * length // max(1, end - low)


def over_time(chart: Chart) -> Markup:
    """Return lines over time."""
    scale, times = chart.scale, chart.times()
    lines = [
        (list(zip(times, map(scale.thousandths, line.values), strict=True)), line.dashed)
        for line in chart.lines
    ]
    last = max(1, times[-1] if times else 1)
    across = Axis([mark for mark in ticks(0, last, 8) if mark <= last], "s", last)
    return _drawing(chart.title, lines, across, Axis(chart.marks, scale.name))


def distribution(chart: Distribution) -> Markup:
    """Return cumulative distributions: delays across, shares upwards."""
    lines = [
        (
            [
                (chart.scale.thousandths(value) or 0, share * 100)
                for value, share in zip(line.values, chart.shares, strict=True)
            ],
            line.dashed,
        )
        for line in chart.lines
    ]
    up = Axis(range(0, 100 * THOUSANDTHS + 1, 25 * THOUSANDTHS), "% at most as long")
    return _drawing(chart.title, lines, Axis(chart.marks, chart.scale.name), up)


def _drawing(
    title: str, lines: Sequence[tuple[Sequence[Point], bool]], across: Axis, up: Axis
) -> Markup:
    return tag(
        "svg",
        grid(across, up),
        (
            tag("path", d=_path(points, across, up), class_=style(number, dashed))
            for number, (points, dashed) in enumerate(lines)
        ),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=title,
        class_="still",
    )


def style(number: int, dashed: bool) -> str:
    """Return the classes of the so-manieth line."""
    far = number >= COLOURS
    return f"s{number % COLOURS}{' dashed' if dashed else ''}{' far' if far else ''}"


def grid(across: Axis, up: Axis) -> Iterator[Markup]:
    """Yield lines and numbers of both axes, and their units."""
    for mark in up.marks:
        y = up.place(mark, TOP + DOWN, -DOWN)
        yield tag("line", x1=LEFT, y1=y, x2=WIDTH - RIGHT, y2=y)
        yield tag("text", in_units(mark), x=LEFT - 60, y=y + 40, text_anchor="end")
    yield tag("text", up.unit, x=LEFT - 60, y=TOP - 100, class_="unit")
    for mark in across.marks:
        x = across.place(mark, LEFT, ACROSS)
        yield tag("text", in_units(mark), x=x, y=HEIGHT - 130, text_anchor="middle")
    yield tag("text", across.unit, x=WIDTH - RIGHT, y=HEIGHT - 20, text_anchor="end", class_="unit")


def in_units(thousandths: int) -> str:
    """Return a number of thousandths as a decimal, without zeros at its end."""
    whole, part = divmod(thousandths, THOUSANDTHS)
    return f"{whole}.{part:03}".rstrip("0") if part else str(whole)


def _path(points: Sequence[Point], across: Axis, up: Axis) -> str:
    """Return a line's path, in steps from point to point; a gap begins a new one."""
    words: list[str] = []
    x = y = 0
    pen_up = True
    for place, value in points:
        if value is None:
            pen_up = True
            continue
        new_x, new_y = across.place(place, LEFT, ACROSS), up.place(value, TOP + DOWN, -DOWN)
        words.append(f"M{new_x} {new_y}" if pen_up else f"l{new_x - x} {new_y - y}")
        x, y, pen_up = new_x, new_y, False
    return "".join(words)
