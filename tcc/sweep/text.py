"""A sweep for people: a table for each objective, a line for each point."""

from collections.abc import Iterator
from fractions import Fraction

from tcc.sweep.cells import ABSENT, MISSED, REFUSED, Cell
from tcc.sweep.figures import UNITS
from tcc.sweep.pareto import DELAY, RATES, front, trades
from tcc.sweep.result import Swept, summary_of
from tcc.verify.judge import in_words
from tcc.verify.text import requirement_text

SHOUTED = {MISSED: "MISSED", "noisy": "NOISY"}
"""As `tcc verify` says them; the others are as they are."""
ON_FRONT = "*"


def sweep_text(swept: Swept) -> str:
    """Return everything that is shown of a sweep on a terminal."""
    return "\n\n".join(
        "\n".join(_objective(swept, number)) for number in range(len(swept.grid.objectives))
    )


def _objective(swept: Swept, number: int) -> Iterator[str]:
    yield f"{swept.grid.objectives[number]}  ({_extent(swept)})"
    columns = swept.columns(number)
    for place, column in enumerate(columns, 1):
        words = requirement_text(swept.requirement(number, column[0]))
        yield f"    [{place}] {' '.join(filter(None, (column[1], words)))}"
    yield ""
    shown = _figures(swept, number)
    fronts = {
        direction: {trade.point for trade in front(trades(swept.cells, number, direction))}
        for direction in RATES
    }
    starred = {name: direction for direction, name in RATES.items()}
    heads = [*(axis.name for axis in swept.grid.axes), "verdict"]
    heads += [*(f"[{place}]" for place in range(1, len(columns) + 1)), *shown]
    rows = [heads]
    for point, row in enumerate(swept.cells):
        cell = row[number]
        line = [value for _, value in swept.points[point].settings]
        line.append(SHOUTED.get(cell.state, cell.state))
        for column in columns:
            summary = summary_of(cell, column)
            values = [one for one in summary.values if one is not None] if summary else []
            unit = summary.verdict.unit if summary else ""
            line.append(in_words(_mean(values), unit) if values else "-")
        for name in shown:
            mean = cell.mean(name)
            mark = ON_FRONT if name in starred and point in fronts[starred[name]] else ""
            line.append("-" if mean is None else mark + in_words(mean, UNITS[name]))
        rows.append(line)
    yield from _table(rows, len(swept.grid.axes) + 1)
    yield from _remarks(swept, number, any(fronts.values()))


def _mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _extent(swept: Swept) -> str:
    points, seeds = len(swept.points), len(swept.grid.seeds)
    return f"{points} point{'s' * (points != 1)}, {seeds} seed{'s' * (seeds != 1)}"


def _figures(swept: Swept, number: int) -> list[str]:
    """Return the figures that the trade between rate and delay needs, as far as measured."""
    cells = [row[number] for row in swept.cells]
    return [
        name
        for name in (*RATES.values(), DELAY)
        if any(cell.mean(name) is not None for cell in cells)
    ]


def _table(rows: list[list[str]], left: int) -> Iterator[str]:
    """Yield rows as lines: `left` columns of words, then figures that end below one another."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield ("    " + "  ".join(cells)).rstrip()


def aligned(rows: list[list[str]]) -> Iterator[str]:
    """Yield rows as lines with their columns below one another."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()


def _remarks(swept: Swept, number: int, starred: bool) -> Iterator[str]:
    """Yield what the table cannot say: reasons, what a star means, what is missing."""
    cells: list[Cell] = [row[number] for row in swept.cells]
    reasons = dict.fromkeys(reason for cell in cells for reason in cell.reasons)
    for code, message in list(reasons)[:5]:
        yield f"    refused[{code}]: {message}"
    if len(reasons) > 5:
        yield f"    and {len(reasons) - 5} other reasons; --json has them all"
    if starred:
        yield f"    {ON_FRONT} on the Pareto front: no other point is faster and delays less"
    absent = sum(cell.state == ABSENT for cell in cells)
    if absent:
        yield f"    {absent} of {len(cells)} points have not been run to their end"
    refused = sum(cell.state == REFUSED for cell in cells)
    if refused:
        yield f"    {refused} of {len(cells)} points cannot be run"
