"""`tcc experiment kernel-tcp`: run the recorded rows, print the table, say whether it held."""

from __future__ import annotations

import gzip
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from tcc.experiments.kernel_tcp import Comparison, held, name_of, run_row
from tcc.experiments.kernel_tcp_moments import measured

SHIPPED = Path(__file__).with_name("kernel-tcp.json.gz")
REPEAT = 9  # of a row with two outcomes, five runs often show the rarer one as their median
HEADER = (
    f"{'run':39} {'goodput Mbit/s':>15} {'ping p50 ms':>15} {'ping p95 ms':>15} "
    f"{'drops':>11}  of the band"
)
MS = 1_000_000


def report(rows: Path | None, seed: int, repeat: int | None, as_json: bool) -> int:
    """Run the rows and print each as it is done; Ctrl-C ends with the rows that are.

    Returns:
        0 if the bands held, 1 if not, 2 if the rows cannot be read.
    """
    try:
        recorded = load(rows or SHIPPED)
    except ValueError as problem:
        click.echo(f"{rows}: {problem}", err=True)
        return 2
    made: list[Comparison] = []
    if not as_json:
        click.echo("kernel: Linux 7.3.4, recorded; engine: emergent, nothing calibrated")
        click.echo(HEADER)
    try:
        for row in recorded:
            made.append(run_row(row, seed, repeat or REPEAT))
            click.echo(as_object(made[-1]) if as_json else line(made[-1]))
    except KeyboardInterrupt:
        click.echo(f"interrupted: {len(made)} of {len(recorded)} rows done", err=True)
        if not made:
            return 1
    if not as_json:
        click.echo(verdict(made))
    return 0 if held(made) else 1


def load(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a file.

    Raises:
        ValueError: a line is no row, with its number and reason; or it is not UTF-8.
    """
    recorded = []
    raw = file.read_bytes()
    lines = (gzip.decompress(raw) if file.suffix == ".gz" else raw).decode("utf-8").splitlines()
    for number, text in enumerate(lines, 1):
        if not text.strip():
            continue
        try:
            row = json.loads(text.removeprefix("RESULT "))
            name_of(row)
            described = "starts" in row
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise ValueError(
                f"line {number} is not a recorded run ({problem}); "
                "each line is the RESULT object of one run"
            ) from None
        if described:
            check_starts(row["starts"], number)
        recorded.append(row)
    if not recorded:
        raise ValueError("no recorded run in it")
    return recorded


def check_starts(field: object, number: int) -> None:
    """Refuse moments that are none, with their line."""
    try:
        measured(field)
    except ValueError as problem:
        raise ValueError(f"line {number}: {problem}") from None


def line(row: Comparison) -> str:
    """Return a row of the table."""
    kernel, engine = row.kernel, row.engine
    cells = [
        f"{kernel.goodput / 10**6:7.2f} {engine.goodput / 10**6:7.2f}",
        f"{kernel.median / MS:7.3f} {engine.median / MS:7.3f}",
        f"{kernel.p95 / MS:7.3f} {engine.p95 / MS:7.3f}",
        f"{kernel.drops:5} {engine.drops:5}",
    ]
    worst = max(row.misses, key=lambda name: row.misses[name])
    mark = "" if row.worst <= 100 else f"  OUT: {worst}{spread(row, worst)}"
    return f"{row.name:39} {' '.join(cells)}  {row.worst:4} %{mark}"


def spread(row: Comparison, figure: str) -> str:
    """Return what the runs of the engine gave for a figure."""
    if row.least is None or row.most is None:
        return ""
    least, most = getattr(row.least, figure), getattr(row.most, figure)
    unit = {"goodput": 10**6, "drops": 1}.get(figure, MS)
    return f", runs {least / unit:.4g} to {most / unit:.4g}"


def as_object(row: Comparison) -> str:
    """Return a row as JSON; rates in bit/s, times in ns, misses in hundredths of the band."""
    plain: dict[str, Any] = asdict(row)
    plain["inside"] = row.worst <= 100
    return json.dumps(plain)


def verdict(rows: list[Comparison]) -> str:
    """Say whether the bands held."""
    inside = sum(row.worst <= 100 for row in rows)
    beyond = sum(row.worst > 200 for row in rows)
    word = "held" if held(rows) else "not held"
    return f"{word}: {inside} of {len(rows)} rows inside the bands, {beyond} beyond twice the band"
