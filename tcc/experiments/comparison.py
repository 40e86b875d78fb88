"""Ours beside the published: deviation, band, and how much of it was fitted."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from tcc.experiments.published import Figure, figures, title

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Key = tuple[str, str, str]

EMERGENT, CALIBRATED, NOT_JUDGED = "emergent", "calibrated", "not judged"


@dataclass(frozen=True, slots=True)
class Ours:
    """What the engine says to a published figure.

    Attributes:
        value: in the unit of the figure.
        kind: emergent, or calibrated: a constant was fitted to this very figure or its row.
        note: what is to be said.
    """

    value: Fraction
    kind: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Something else that has to hold."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment that was run.

    Attributes:
        document: which one was repeated.
        constants: the fitted constants of the cost profiles that were used.
        ours: by (row, metric, unit).
        reasons: why a figure has no value of ours, by metric, row or `row/metric`.
        checks: what must hold beside the bands.
        beyond: tables that no published figure belongs to: (title, header, rows).
    """

    document: str
    constants: Mapping[str, int | float]
    ours: Mapping[Key, Ours]
    reasons: Mapping[str, str]
    checks: Sequence[Check] = ()
    beyond: Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]] = field(
        default_factory=tuple
    )


@dataclass(frozen=True, slots=True)
class Line:
    """A figure, ours, and the judgement; `inside` is None where nothing is judged."""

    figure: Figure
    ours: Ours | None
    deviation: Fraction | None
    inside: bool | None
    note: str


def lines(study: Study) -> list[Line]:
    """Return a line for each published figure, in the order of the document."""
    return [_line(study, figure) for figure in figures(study.document)]


def _line(study: Study, figure: Figure) -> Line:
    ours = study.ours.get((figure.row, figure.metric, figure.unit))
    if ours is None:
        reason = next(
            (
                study.reasons[key]
                for key in (f"{figure.row}/{figure.metric}", figure.metric, figure.row)
                if key in study.reasons
            ),
            "not modelled",
        )
        return Line(figure, None, None, False if figure.band is not None else None, reason)
    deviation = None
    if isinstance(figure.value, Fraction) and figure.value:
        deviation = 100 * (ours.value - figure.value) / figure.value
    inside = None
    if figure.band is not None:
        inside = deviation is not None and abs(deviation) <= figure.band
    return Line(figure, ours, deviation, inside, ours.note)


def held(study: Study) -> bool:
    """Say whether every figure with a band is inside it, and every check holds."""
    judged = [line.inside for line in lines(study) if line.figure.band is not None]
    return all(judged) and all(check.holds for check in study.checks)


def show(study: Study, seconds: float) -> None:
    """Print the study for people."""
    click.echo(f"{study.document}: {title(study.document)}")
    constants = ", ".join(f"{name} {value:g}" for name, value in study.constants.items())
    click.echo(f"fitted constants: {constants or 'none'}\n")
    row = None
    for line in lines(study):
        if line.figure.row != row:
            row = line.figure.row
            click.echo(f"{row}")
        click.echo(f"  {_text(line)}")
    for heading, header, rows in study.beyond:
        click.echo(f"\n{heading}")
        _table(header, rows)
    if study.checks:
        click.echo("")
    for check in study.checks:
        click.echo(f"{'holds' if check.holds else 'DOES NOT HOLD'}: {check.text}")
    judged = [line for line in lines(study) if line.figure.band is not None]
    inside = sum(bool(line.inside) for line in judged)
    click.echo(
        f"\n{'held' if held(study) else 'NOT HELD'}: {inside} of {len(judged)} judged figures "
        f"inside their bands ({seconds:.0f} s)"
    )


def _text(line: Line) -> str:
    figure = line.figure
    ours = "-" if line.ours is None else number(line.ours.value)
    deviation = "" if line.deviation is None else f"{float(line.deviation):+.2f} %"
    if figure.band is None:
        judgement = NOT_JUDGED if line.ours is None else f"{NOT_JUDGED}; {line.ours.kind}"
    else:
        kind = line.ours.kind if line.ours else NOT_JUDGED
        mark = "" if line.inside else "OUT of "
        judgement = f"{mark}band {float(figure.band):g} %; {kind}"
    note = f" ({line.note})" if line.note else ""
    name = f"{figure.metric} [{figure.unit}]"
    return f"{name:44.44} {number(figure.value):>12} {ours:>12} {deviation:>10}  {judgement}{note}"


def number(value: Fraction | str) -> str:
    """Print a number to about six digits."""
    if isinstance(value, str):
        return value
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(value):.6g}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [
        max(len(header[column]), *(len(row[column]) for row in rows))
        for column in range(len(header))
    ]
    for row in (header, *rows):
        cells = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        click.echo("  " + "  ".join(cells))


def as_json(study: Study, seconds: float) -> str:
    """Return the study as one JSON object; numbers as decimals."""
    return json.dumps(
        {
            "experiment": study.document,
            "source": title(study.document),
            "constants": dict(study.constants),
            "figures": [_object(line) for line in lines(study)],
            "beyond": [
                {"title": heading, "rows": [dict(zip(header, row, strict=True)) for row in rows]}
                for heading, header, rows in study.beyond
            ],
            "checks": [{"text": one.text, "holds": one.holds} for one in study.checks],
            "held": held(study),
            "seconds": round(seconds, 1),
        }
    )


def _object(line: Line) -> dict[str, object]:
    figure, ours = line.figure, line.ours
    return {
        "row": figure.row,
        "metric": figure.metric,
        "unit": figure.unit,
        "published": figure.value if isinstance(figure.value, str) else float(figure.value),
        "ours": None if ours is None else float(ours.value),
        "deviation_percent": None if line.deviation is None else float(line.deviation),
        "band_percent": None if figure.band is None else float(figure.band),
        "inside": line.inside,
        "kind": NOT_JUDGED if ours is None else ours.kind,
        "note": line.note,
    }
