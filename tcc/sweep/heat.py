"""Heat maps: two axes of a grid at a time, a figure in each cell.

Colour only shows where to look: every cell has its number in it, or, where there are too many
cells for numbers, the page's table has.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from tcc.report.page.html import Markup, tag
from tcc.sweep.axes import Axis

WIDTH, LEFT, HEAD, ROW, FLAT = 6400, 1300, 420, 420, 140
"""In tenths of pixels, as the other drawings of a page."""
NARROW = 560
"""A cell needs to be this wide for its number."""
MOST_ROWS = 40
"""More rows than this are drawn flat, without numbers."""
PALE, DEEP = 6, 55
"""Per cent of the colour that the least and the greatest value have: ink is readable on both."""
HELD = " ✓"


@dataclass(frozen=True, slots=True)
class Panel:
    """Two axes, at one combination of the values of all others.

    Attributes:
        fixed: the values of the others.
        across: values from left to right, and what they are of.
        down: the same from above; None where only one thing varies.
        points: the numbers of the grid's points, row by row.
    """

    fixed: tuple[tuple[str, str], ...]
    across: Axis | None
    down: Axis | None
    points: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What one cell shows: a value, its words, and whether it is what was required."""

    value: Fraction
    words: str
    held: bool = False


def panels(axes: Sequence[Axis]) -> Iterator[Panel]:
    """Yield the panels of a grid: the last two axes that vary span one, the others tell them apart.

    Points are numbered as `Grid.points` yields them.
    """
    varying = [number for number, axis in enumerate(axes) if len(axis.values) > 1]
    across = varying[-1] if varying else None
    down = varying[-2] if len(varying) > 1 else None
    steps = [1] * len(axes)
    for number in reversed(range(len(axes) - 1)):
        steps[number] = steps[number + 1] * len(axes[number + 1].values)
    others = [number for number in range(len(axes)) if number not in (across, down)]
    for places in product(*(range(len(axes[number].values)) for number in others)):
        base = sum(place * steps[number] for number, place in zip(others, places, strict=True))
        yield Panel(
            tuple(
                (axes[number].name, axes[number].values[place])
                for number, place in zip(others, places, strict=True)
                if number in varying
            ),
            None if across is None else axes[across],
            None if down is None else axes[down],
            tuple(
                tuple(
                    base + y * _step(steps, down) + x * _step(steps, across)
                    for x in _all(axes, across)
                )
                for y in _all(axes, down)
            ),
        )


def _all(axes: Sequence[Axis], number: int | None) -> range:
    return range(1 if number is None else len(axes[number].values))


def _step(steps: Sequence[int], number: int | None) -> int:
    return 0 if number is None else steps[number]


def heat_map(title: str, panel: Panel, shown: Sequence[Shown | None]) -> Markup:
    """Return one panel as a drawing.

    Args:
        title: what is shown, for those who do not see it.
        panel: what is where.
        shown: what each point of the grid shows; None for nothing.
    """
    columns, rows = len(panel.points[0]), len(panel.points)
    height = ROW if rows <= MOST_ROWS else FLAT
    values = [cell.value for cell in shown if cell is not None]
    ends = (min(values, default=Fraction(0)), max(values, default=Fraction(0)))
    numbers = (WIDTH - LEFT) // columns >= NARROW and height == ROW
    return tag(
        "svg",
        _labels(panel, height),
        (
            _cell(x, y, columns, height, shown[point], ends, numbers)
            for y, line in enumerate(panel.points)
            for x, point in enumerate(line)
        ),
        viewBox=f"0 0 {WIDTH} {HEAD + rows * height + 40}",
        role="img",
        aria_label=f"{title}; the table below has the same numbers",
        font_size=130,
    )


def _cell(
    x: int, y: int, columns: int, height: int, shown: Shown | None,
    ends: tuple[Fraction, Fraction], numbers: bool,
) -> list[Markup]:  # fmt: skip
    left, right = (LEFT + (WIDTH - LEFT) * place // columns for place in (x, x + 1))
    top = HEAD + y * height
    if shown is None:
        return [_text("-", (left + right) // 2, top + height // 2 + 45)] if numbers else []
    low, high = ends
    share = (shown.value - low) / (high - low) if high > low else Fraction(0)
    deep = PALE + round((DEEP - PALE) * share)
    found = [
        tag("rect", x=left, y=top, width=right - left, height=height, fill="var(--s0)",
            fill_opacity=f"{deep}%", stroke="var(--paper)", stroke_width=12)
    ]  # fmt: skip
    if numbers:
        words = shown.words + (HELD if shown.held else "")
        found.append(_text(words, (left + right) // 2, top + height // 2 + 45))
    return found


def _labels(panel: Panel, height: int) -> Iterator[Markup]:
    if panel.across is not None:
        yield _text(panel.across.name, WIDTH, 140, "end")
        columns = len(panel.across.values)
        width = (WIDTH - LEFT) // columns
        every = -(-NARROW // width)  # as many as have room
        for x in range(0, columns, every):
            yield _text(
                panel.across.values[x],
                LEFT + (2 * x + 1) * (WIDTH - LEFT) // columns // 2,
                HEAD - 80,
            )
    if panel.down is not None:
        yield _text(panel.down.name, 0, HEAD - 80, "start")
        every = -(-ROW // (2 * height))
        for y in range(0, len(panel.down.values), every):
            yield _text(
                panel.down.values[y], LEFT - 90, HEAD + y * height + height // 2 + 45, "end"
            )


def _text(words: str, x: int, y: int, anchor: str = "middle") -> Markup:
    return tag("text", words, x=x, y=y, text_anchor=anchor, fill="var(--ink)")
