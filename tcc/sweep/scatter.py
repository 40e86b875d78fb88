"""Rate against delay: every point of a grid, and the front that none of them is beyond."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tcc.report.page.charts import scale_for, ticks
from tcc.report.page.html import Markup, tag
from tcc.report.page.svg import ACROSS, DOWN, HEIGHT, LEFT, TOP, WIDTH, Axis, grid
from tcc.sweep.pareto import DELAY, Trade

DOT, FRONT_DOT, RING = 40, 70, 130
MARKS = 6


def scatter(
    title: str, trades: Sequence[Trade], front: Sequence[Trade], chosen: int | None = None
) -> Markup:
    """Return a drawing: the delay across, the rate upwards, the front joined by a line.

    A point that was chosen has a ring around it.
    """
    across = _axis("delay", DELAY, [trade.delay for trade in trades])
    up = _axis("rate", "goodput", [trade.rate for trade in trades])
    places = {trade.point: _place(trade, across, up) for trade in trades}
    best = {trade.point for trade in front}
    line = "L".join("{} {}".format(*places[trade.point]) for trade in front)
    return tag(
        "svg",
        grid(across[0], up[0]),
        tag("path", d=f"M{line}", class_="s1"),
        (
            tag("circle", cx=x, cy=y, r=FRONT_DOT if point in best else DOT,
                fill=f"var(--{'s1' if point in best else 's0'})")
            for point, (x, y) in places.items()
        ),
        _ring(*places[chosen]) if chosen in places else None,
        _legend(chosen in places),
        viewBox=f"0 0 {WIDTH} {HEIGHT + 30}",
        role="img",
        aria_label=f"{title}; the table below names the points of the front",
        class_="still",
    )  # fmt: skip


def _ring(x: int, y: int, size: int = RING) -> Markup:
    return tag(
        "ellipse", cx=x, cy=y, rx=size, ry=size, fill="none", stroke="var(--ink)", stroke_width=24
    )  # fmt: skip


def _legend(chosen: bool) -> Iterator[Markup]:
    """Yield what the kinds of points are, which differ in size, not in colour alone."""
    y = TOP - 140
    if chosen:
        end = LEFT + ACROSS - 2000
        yield tag("text", "chosen", x=end, y=y + 40, text_anchor="end")
        yield _ring(end - 68 * len("chosen") - 130, y, FRONT_DOT)
    for end, size, colour, words in (
        (LEFT + ACROSS, FRONT_DOT, "s1", "on the front"),
        (LEFT + ACROSS - 1200, DOT, "s0", "beaten"),
    ):
        yield tag("text", words, x=end, y=y + 40, text_anchor="end")
        x = end - 68 * len(words) - 100
        yield tag("ellipse", cx=x, cy=y, rx=size, ry=size, fill=f"var(--{colour})")


def _axis(quantity: str, name: str, values: Sequence[Fraction]) -> tuple[Axis, int]:
    """Return an axis from nothing to the greatest value, and the unit it counts in."""
    most = round(max(values))
    scale = scale_for(quantity, most)
    marks = ticks(0, scale.thousandths(most) or 0, MARKS)
    return Axis(marks, f"{name}, {scale.name}"), scale.size


def _place(trade: Trade, across: tuple[Axis, int], up: tuple[Axis, int]) -> tuple[int, int]:
    x = across[0].place(_thousandths(trade.delay, across[1]), LEFT, ACROSS)
    return x, up[0].place(_thousandths(trade.rate, up[1]), TOP + DOWN, -DOWN)


def _thousandths(value: Fraction, size: int) -> int:
    return round(value * 1000 / size)
