"""Heat maps: two axes of a grid at a time, a figure in each cell.

Colour only shows where to look: every cell has its number in it, or, where there are too many
cells for numbers, the page's table has.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product

from tcc.report.page.html import Child, Markup, tag
from tcc.sweep.axes import Axis

WIDTH, HEAD, ROW, FLAT, FOOT = 6400, 420, 420, 140, 330
"""In tenths of pixels, as the other drawings of a page."""
LEAST_LEFT, MOST_LEFT = 1300, 2600
"""What the values from above may take of the width."""
LETTER, FONT = 92, 145
"""How wide a letter is at most, on average, and how large the font is."""
STEPS = 5
"""Shades in the legend."""
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
    there = [cell for cell in shown if cell is not None]
    frame = _frame(panel, [cell.words + HELD * cell.held for cell in there])
    low = min(there, key=_value, default=None)
    high = max(there, key=_value, default=None)
    ends = (low.value, high.value) if low and high else (Fraction(0), Fraction(0))
    below = HEAD + len(panel.points) * frame.height
    drawing = tag(
        "svg",
        _labels(panel, frame),
        tag("g", _over_all(panel, shown, partial(_shade, frame, ends)),
            fill="var(--s0)", stroke="var(--paper)", stroke_width=12),
        tag("g", _over_all(panel, shown, partial(_told, frame)), text_anchor="middle"),
        _legend(low.words, high.words, below + 110) if low and high and low != high else None,
        viewBox=f"0 0 {WIDTH} {below + FOOT}",
        role="img",
        aria_label=f"{title}; the table below has the same numbers",
        class_="heat",
        font_size=FONT,
        fill="var(--ink)",
    )  # fmt: skip
    return tag("div", drawing, class_="wide", tabindex=0, role="region", aria_label=title)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the cells are: how far from the left, how many, how high, and whether with numbers."""

    left: int
    columns: int
    height: int
    numbers: bool

    def edge(self, column: int) -> int:
        """Return where a column begins."""
        return self.left + (WIDTH - self.left) * column // self.columns

    def middle(self, column: int) -> int:
        """Return the middle of a column."""
        return (self.edge(column) + self.edge(column + 1)) // 2


def _frame(panel: Panel, words: Sequence[str]) -> _Frame:
    left = 0
    if panel.down is not None:
        left = min(MOST_LEFT, max(LEAST_LEFT, _width(panel.down.values) + 90))
    height = ROW if len(panel.points) <= MOST_ROWS else FLAT
    columns = len(panel.points[0])
    room = (WIDTH - left) // columns
    return _Frame(left, columns, height, room >= _width(words) and height == ROW)


def _width(words: Sequence[str]) -> int:
    return LETTER * max(map(len, words), default=0)


def _value(shown: Shown) -> Fraction:
    return shown.value


def _over_all(
    panel: Panel, shown: Sequence[Shown | None], draw: Callable[[int, int, Shown | None], Child]
) -> Iterator[Child]:
    """Yield what is drawn of each cell, given its column and its row."""
    for y, line in enumerate(panel.points):
        for x, point in enumerate(line):
            yield draw(x, y, shown[point])


def _shade(
    frame: _Frame, ends: tuple[Fraction, Fraction], x: int, y: int, shown: Shown | None
) -> Child:
    """Return the ground of a cell, the deeper the greater its value."""
    if shown is None:
        return None
    left, (low, high) = frame.edge(x), ends
    share = (shown.value - low) / (high - low) if high > low else Fraction(0)
    return tag(
        "rect", x=left, y=HEAD + y * frame.height, width=frame.edge(x + 1) - left,
        height=frame.height, fill_opacity=f"{_depth(share)}%",
    )  # fmt: skip


def _told(frame: _Frame, x: int, y: int, shown: Shown | None) -> Child:
    """Return the number in a cell, or a dot if it holds and there is no room."""
    across, middle = frame.middle(x), HEAD + y * frame.height + frame.height // 2
    if frame.numbers:
        words = "-" if shown is None else shown.words + HELD * shown.held
        return tag("text", words, x=across, y=middle + 45)
    if shown is not None and shown.held:
        return tag("ellipse", cx=across, cy=middle, rx=40, ry=40)
    return None


def _depth(share: Fraction) -> int:
    return PALE + round((DEEP - PALE) * share)


def _legend(low: str, high: str, y: int) -> Iterator[Markup]:
    """Yield the shades from the least value to the greatest, to the right below the cells."""
    size = 220
    right = WIDTH - LETTER * len(high)
    left = right - STEPS * size
    yield _text(low, left - 60, y + 120, "end")
    for number in range(STEPS):
        shade = f"{_depth(Fraction(number, STEPS - 1))}%"
        outline = f"M{left + number * size} {y}h{size}v150h-{size}z"
        yield tag("path", d=outline, fill="var(--s0)", fill_opacity=shade)
    yield _text(high, right + 60, y + 120, "start")


def _labels(panel: Panel, frame: _Frame) -> Iterator[Markup]:
    if panel.across is not None:
        yield _text(f"{panel.across.name} →", WIDTH, 140, "end")
        room = (WIDTH - frame.left) // frame.columns
        every = max(1, -(-_width(panel.across.values) // room))  # as many as have room
        for x in range(0, frame.columns, every):
            yield _text(panel.across.values[x], frame.middle(x), HEAD - 80)
    if panel.down is not None:
        yield _text(f"{panel.down.name} ↓", 0, 140, "start")
        every = -(-ROW // (2 * frame.height))
        for y in range(0, len(panel.down.values), every):
            middle = HEAD + y * frame.height + frame.height // 2
            yield _text(panel.down.values[y], frame.left - 90, middle + 45, "end")


def _text(words: str, x: int, y: int, anchor: str = "middle") -> Markup:
    return tag("text", words, x=x, y=y, text_anchor=anchor)
