"""The matrix of `tcc generate --matrix`: each clause on each system, as a table or as JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tcc import api
from tcc.plugin import BACKENDS, Expressed, PluginError, Verdict, names

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.passes import Built

SIGNS = {Verdict.EXACT: "yes", Verdict.APPROXIMATED: "~", Verdict.REFUSED: "no"}
NOT_THERE = "-"
Tables = Mapping[str, Sequence[Expressed]]


def show_matrix(
    built: "Built",
    backend: str | None,
    facts: "Facts | None",
    settings: Mapping[str, str],
    *,
    as_json: bool,
) -> int:
    """Print what becomes of each clause on one back end or on all; return 0.

    Raises:
        click.UsageError: there is no such back end.
    """
    tables = {name: _rows(built, name, facts, settings) for name in _asked(backend)}
    if as_json:
        click.echo(json.dumps(_as_json(built, tables), indent=2, ensure_ascii=False))
    else:
        click.echo(_as_text(tables), nl=False)
    return 0


def _asked(backend: str | None) -> Sequence[str]:
    known = names(BACKENDS)
    if backend is not None and backend not in known:
        raise click.UsageError(f"there is no back end `{backend}`; there are {', '.join(known)}")
    return known if backend is None else [backend]


def _rows(
    built: "Built", name: str, facts: "Facts | None", settings: Mapping[str, str]
) -> Sequence[Expressed]:
    try:
        return api.express(built, name, facts, settings)
    except PluginError as problem:
        raise click.UsageError(str(problem)) from problem


def _as_text(tables: Tables) -> str:
    """Return the grid, then each cell that is not exact in words."""
    clauses = dict.fromkeys((row.where, row.clause) for rows in tables.values() for row in rows)
    head = ["", *tables]
    body = [[_label(*clause), *(_sign(rows, clause) for rows in tables.values())]
            for clause in clauses]  # fmt: skip
    widths = [max(len(line[column]) for line in [head, *body]) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
             for line in [head, *body]]  # fmt: skip
    lines += ["", "yes: exact; ~: approximated; no: refused; -: the system is not asked for it"]
    for name, rows in tables.items():
        said = [row for row in rows if row.verdict is not Verdict.EXACT]
        if said:
            lines += ["", name]
            lines += dict.fromkeys(  # a clause that became two things says why once
                f"  {SIGNS[row.verdict]:3} {_label(row.where, row.clause)}: {row.because}"
                for row in said
            )
    return "\n".join(lines) + "\n"


def _label(where: str, clause: str) -> str:
    return f"{where}: {clause}" if where else clause


def _sign(rows: Sequence[Expressed], clause: tuple[str, str]) -> str:
    hit = [row.verdict for row in rows if (row.where, row.clause) == clause]
    order = list(SIGNS)
    return SIGNS[max(hit, key=order.index)] if hit else NOT_THERE


def _as_json(built: "Built", tables: Tables) -> list[dict[str, Any]]:
    return [
        {"backend": name, "clauses": [_row(built, row) for row in rows]}
        for name, rows in tables.items()
    ]


def _row(built: "Built", row: Expressed) -> dict[str, Any]:
    place: dict[str, Any] = {}
    if row.span is not None and (source := built.sources.get(row.span.path)) is not None:
        position = source.position(row.span.start)
        place = {"file": row.span.path, "line": position.line, "column": position.column}
    return {
        "where": row.where,
        "clause": row.clause,
        "verdict": str(row.verdict),
        "became": row.became,
        "because": row.because,
        **place,
    }
