"""A sweep as a versioned JSON document: exact, and the same bytes for the same grid.

`SCHEMA` is the document's JSON Schema, which the package carries as a file. A change that could
break a reader raises `VERSION`.
"""

import json
from pathlib import Path

from tcc.sweep.cells import Cell
from tcc.sweep.pareto import DELAY, RATES, front, trades
from tcc.sweep.result import Swept
from tcc.verify.document import exact, over_seeds
from tcc.verify.summary import Summary
from tcc.verify.text import requirement_text

VERSION = 1
SCHEMA = Path(__file__).with_name("sweep.schema.json")


def document(swept: Swept) -> str:
    """Return the whole sweep.

    Rates are in bit/s, durations in ns; ratios are exact fractions such as `"19/20"`.
    """
    grid = swept.grid
    return json.dumps(
        {
            "version": VERSION,
            "policy": grid.setup.path,
            "target": grid.setup.target,
            "whole": swept.whole,
            "axes": [{"param": axis.name, "values": list(axis.values)} for axis in grid.axes],
            "seeds": list(grid.seeds),
            "objectives": [
                {
                    "text": text,
                    "requirements": [
                        requirement_text(one) for one in swept.policy.objectives[number].require
                    ],
                    "fronts": _fronts(swept, number),
                }
                for number, text in enumerate(grid.objectives)
            ],
            "points": [
                {
                    "settings": dict(point.settings),
                    "objectives": [_cell(cell) for cell in row],
                }
                for point, row in zip(swept.points, swept.cells, strict=True)
            ],
        },
        indent=2,
        sort_keys=True,
    )


def _fronts(swept: Swept, number: int) -> list[dict[str, object]]:
    return [
        {
            "rate": rate,
            "delay": DELAY,
            "points": [trade.point for trade in front(trades(swept.cells, number, direction))],
        }
        for direction, rate in RATES.items()
    ]


def _cell(cell: Cell) -> dict[str, object]:
    return {
        "state": cell.state,
        "basis": cell.basis or None,
        "refused": [{"code": code, "message": message} for code, message in cell.reasons],
        "requirements": [_summary(one) for one in cell.summaries],
        "figures": {
            name: [exact(value) for value in values]
            for name, values in (cell.figures or {}).items()
        },
    }


def _summary(one: Summary) -> dict[str, object]:
    return {"requirement": one.verdict.index, **over_seeds(one)}
