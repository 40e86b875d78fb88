"""A sweep as one page that needs nothing else, and no script: heat maps, fronts, a table.

The same grid gives the same bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from tcc import __version__
from tcc.report.page.html import Child, Markup, tag
from tcc.report.page.page import section, whole
from tcc.report.page.words import WAYS, quantity
from tcc.sweep import provenance
from tcc.sweep.cells import ABSENT, HELD, MISSED, NOISY, REFUSED, Cell, Cells
from tcc.sweep.figures import UNITS
from tcc.sweep.heat import Panel, Shown, heat_map, panels
from tcc.sweep.pareto import DELAY, RATES, Trade, front, trades
from tcc.sweep.result import Swept, summary_of
from tcc.sweep.scatter import scatter
from tcc.verify.text import requirement_text

MOST_PANELS = 12
"""Drawings of one figure; the table has what more there is."""
MOST_ROWS = 2000
"""Lines of the table; JSON has what more there is."""
CHIPS = {HELD: HELD, MISSED: MISSED, NOISY: NOISY, REFUSED: MISSED, ABSENT: NOISY}
"""How a state is coloured."""


class Figure(NamedTuple):
    """One thing that is shown of every point.

    Attributes:
        title: what it is.
        shown: of each point; None where there is nothing.
        required: whether it is held against a bound.
    """

    title: str
    shown: tuple[Shown | None, ...]
    required: bool


def render(swept: Swept) -> str:
    """Return the page of a sweep."""
    grid = swept.grid
    name = grid.setup.path.rpartition("/")[2]
    body = [
        tag(
            "header",
            tag("h1", "What ", tag("em", name), " delivers over a grid"),
            tag("p", _summary(swept)),
        ),
        _varied(swept),
        *(_objective(swept, number) for number in range(len(grid.objectives))),
        section("assumed", "What was assumed", [
            tag("p", f"tcc {__version__} ({provenance.program()}), seeds "
                f"{', '.join(map(str, grid.seeds))}: the same grid gives the same page."),
            tag("p", "Predictions: ", "; ".join(_bases(swept)) or "none", "."),
        ]),
        section("policy", "The policy", tag("pre", grid.source.text, class_="source")),
    ]  # fmt: skip
    return whole(f"{name}: a sweep", body, ())


def _summary(swept: Swept) -> str:
    states = [cell.state for row in swept.cells for cell in row]
    counts = ((state, states.count(state)) for state in CHIPS)
    return (
        f"{len(swept.points)} points: "
        + ", ".join(f"{count} {state}" for state, count in counts if count)
        + (
            " (points and objectives are counted together)."
            if len(swept.grid.objectives) > 1
            else "."
        )
    )


def _bases(swept: Swept) -> list[str]:
    return list(dict.fromkeys(cell.basis for row in swept.cells for cell in row if cell.basis))


def _varied(swept: Swept) -> Markup:
    rows = (
        tag("tr", tag("th", axis.name, scope="row"), tag("td", ", ".join(axis.values)))
        for axis in swept.grid.axes
    )
    table = tag("table", tag("caption", "What varies"), tag("tbody", rows))
    return section("varied", "What varies", table if swept.grid.axes else "Nothing but seeds.")


def _objective(swept: Swept, number: int) -> Markup:
    title = swept.grid.objectives[number] or f"objective {number + 1}"
    figures = list(_figures(swept, number))
    maps = [each for one in figures for each in _maps(swept, one)]
    names = [axis.name for axis in swept.grid.axes]
    settings = [[value for _, value in point.settings] for point in swept.points]
    drawn = list(fronts(swept.cells, number, names, settings))
    children: list[Child] = []
    if drawn:
        children += [tag("h3", "Rate against delay"), tag("div", drawn, class_="figures")]
    if maps:
        children += [tag("h3", "Over the grid"), tag("div", maps, class_="figures")]
    children += [tag("h3", "Every point"), _table(swept, number, figures)]
    return section(f"objective-{number}", title, children)


def _figures(swept: Swept, number: int) -> Iterator[Figure]:
    """Yield what is required, then what a trade is made of."""
    for index, direction in swept.columns(number):
        words = requirement_text(swept.requirement(number, index))
        shown: list[Shown | None] = []
        for row in swept.cells:
            summary = summary_of(row[number], (index, direction))
            values = [one for one in summary.values if one is not None] if summary else []
            if summary is None or not values:
                shown.append(None)
                continue
            mean = sum(values, Fraction(0)) / len(values)
            shown.append(Shown(mean, quantity(mean, summary.verdict.unit), summary.holds))
        way = f", {WAYS[direction]}" if direction else ""
        yield Figure(f"{words}{way}", tuple(shown), required=True)
    for name in (*RATES.values(), DELAY):
        means = [row[number].mean(name) for row in swept.cells]
        if any(mean is not None for mean in means):
            yield Figure(
                name,
                tuple(
                    None if mean is None else Shown(mean, quantity(mean, UNITS[name]))
                    for mean in means
                ),
                required=False,
            )


def _maps(swept: Swept, figure: Figure) -> Iterator[Markup]:
    """Yield the heat maps of one figure; none where nothing varies."""
    drawn = [panel for panel in panels(swept.grid.axes) if panel.across is not None]
    for panel in drawn[:MOST_PANELS]:
        note = _note(panel, figure)
        yield tag(
            "figure",
            tag("h4", figure.title),
            tag("p", note, class_="note") if note else None,
            heat_map(figure.title, panel, figure.shown),
        )
    if len(drawn) > MOST_PANELS:
        yield tag("p", f"{len(drawn) - MOST_PANELS} more are in the table alone.")


def _note(panel: Panel, figure: Figure) -> str:
    held = "✓ or ● where it held with every seed" if figure.required else ""
    return "; ".join(filter(None, (", ".join(map(" = ".join, panel.fixed)), held)))


def fronts(
    cells: Cells, number: int, names: Sequence[str], settings: Sequence[Sequence[str]],
    chosen: int | None = None,
) -> Iterator[Markup]:  # fmt: skip
    """Yield rate against delay in each direction, where there is something to compare.

    Args:
        cells: by point, then by objective.
        number: of the objective.
        names: of what varies.
        settings: the values of each point.
        chosen: a point that is marked.
    """
    for direction, rate in RATES.items():
        found = trades(cells, number, direction)
        if len(found) < 2:
            continue
        best = front(found)
        title = f"{rate} against {DELAY}"
        yield tag(
            "figure",
            tag("h4", title),
            tag("p", f"{len(best)} of {len(found)} points are on the Pareto front: no other is "
                "faster and delays less.", class_="note"),
            scatter(title, found, best, chosen),
            _front_table(f"The front of {title}", best, names, settings),
        )  # fmt: skip


def _front_table(
    caption: str, best: list[Trade], names: Sequence[str], settings: Sequence[Sequence[str]]
) -> Markup:
    rows = (
        tag(
            "tr",
            (tag("td", value) for value in settings[trade.point]),
            tag("td", quantity(trade.rate, "rate"), class_="number"),
            tag("td", quantity(trade.delay, "duration"), class_="number"),
        )
        for trade in best
    )
    return wide(caption, [*names, "rate", "delay"], rows)


def _table(swept: Swept, number: int, figures: list[Figure]) -> Markup:
    rows = (
        tag(
            "tr",
            (tag("td", value) for _, value in swept.points[point].settings),
            tag("td", chip(row[number])),
            (
                tag("td", "-" if one is None else one.words, class_="number")
                for one in (figure.shown[point] for figure in figures)
            ),
        )
        for point, row in enumerate(swept.cells[:MOST_ROWS])
    )
    heads = [*(axis.name for axis in swept.grid.axes), "verdict", *(one.title for one in figures)]
    table = wide("Every point", heads, rows)
    if len(swept.cells) <= MOST_ROWS:
        return table
    left = len(swept.cells) - MOST_ROWS
    return Markup(table + tag("p", f"{left:,} more points are in the JSON document."))


def wide(caption: str, heads: Sequence[str], rows: Iterable[Markup]) -> Markup:
    """Return a table that scrolls in its frame where there is no room for it."""
    table = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", (tag("th", head, scope="col") for head in heads))),
        tag("tbody", rows),
    )
    return tag("div", table, class_="wide", tabindex=0, role="region", aria_label=caption)


def chip(cell: Cell) -> Markup:
    """Return the state of a cell, with the reasons where it could not be run."""
    reasons: Mapping[str, str] = dict(cell.reasons)
    return tag(
        "span", cell.state, class_=f"chip {CHIPS[cell.state]}",
        title="; ".join(reasons.values()) or None,
    )  # fmt: skip
