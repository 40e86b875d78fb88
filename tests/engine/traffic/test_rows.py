"""TCP's tables and numbers are the same for C and for Python."""

from __future__ import annotations

import re
from pathlib import Path

from tcc.engine.tcp import constants, rows

FOLDER = Path(constants.__file__).parent


def test_constants_are_the_same_for_c_and_for_python():
    text = (FOLDER / "constants.pxd").read_text()
    in_c = {name: int(value) for name, value in re.findall(r"(\w+) = (-?\d+)", text)}
    in_python = {
        name: value
        for name, value in vars(constants).items()
        if name.isupper() and isinstance(value, int)
    }
    assert in_c == in_python


def test_rows_have_the_same_fields_in_c_and_in_python():
    text = (FOLDER / "rows.pxd").read_text()
    structs = re.findall(r"cdef struct (\w+):\n((?:    .*\n)+)", text)
    assert {name for name, _ in structs} == {"Segment", "Blocks", "Best"}
    for name, body in structs:
        fields = {line.split()[-1].partition("[")[0] for line in body.splitlines()}
        assert fields == set(getattr(rows, name).__slots__), name
