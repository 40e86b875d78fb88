"""The published figures that experiments are held against: `tcc/data/published-tables.json`.

Only the comparison reads this file.  The models know nothing of it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure.

    Attributes:
        row: which row of the document it belongs to.
        metric: what it is.
        unit: of the value.
        value: as published; text where the document gives words.
        band: allowed deviation in per cent of the value; None for a figure without judgement.
        kind: what a result inside the band may call itself.
    """

    row: str
    metric: str
    unit: str
    value: Fraction | str
    band: Fraction | None
    kind: str | None


@cache
def _tables() -> dict[str, Any]:
    text = files("tcc").joinpath("data/published-tables.json").read_text("utf-8")
    tables: dict[str, Any] = json.loads(text, parse_float=Fraction, parse_int=Fraction)
    return tables


def title(document: str) -> str:
    """Return who published what, and when."""
    return str(_tables()["documents"][document])


def figures(document: str) -> list[Figure]:
    """Return every figure of a document, in its order."""
    return [
        Figure(
            one["id"].removeprefix(f"{document}/"),
            metric["metric"],
            metric["unit"],
            metric["value"],
            metric.get("band_percent"),
            metric.get("kind"),
        )
        for one in _tables()["experiments"]
        if one["document"] == document
        for metric in one["metrics"]
    ]
