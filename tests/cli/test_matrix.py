"""`tcc generate --matrix`: what becomes of each clause on each system, as a table and as JSON."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tcc.plugin import BACKENDS, names

HOME = Path(__file__).parents[2] / "docs" / "examples" / "home.tcc"


def matrix(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tcc", "generate", "--matrix", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_back_end_answers_for_every_clause():
    found = json.loads(matrix("--json", str(HOME)).stdout)
    assert [one["backend"] for one in found] == list(names(BACKENDS))
    clauses = [{(row["where"], row["clause"]) for row in one["clauses"]} for one in found]
    assert all(each == clauses[0] for each in clauses)
    assert ("wan egress", "ack-filter on") in clauses[0]


def test_a_row_says_what_how_and_where():
    [one] = json.loads(matrix("--json", "networkd", str(HOME)).stdout)
    [row] = [row for row in one["clauses"] if row["clause"] == "rtt 50ms"]
    assert row["verdict"] == "approximated"
    assert "5000us and not 2500us" in row["because"]
    assert (row["line"], row["where"]) == (14, "wan egress")


def test_the_table_has_a_column_for_each_and_reasons_below():
    text = matrix(str(HOME)).stdout
    head = text.splitlines()[0].split()
    assert head == list(names(BACKENDS))
    assert "  no  wan egress: tiers diffserv4: VyOS has no way to say `diffserv4`" in text


def test_usage():
    assert matrix("no-such", str(HOME)).returncode == 2
    command = [sys.executable, "-m", "tcc", "generate", str(HOME)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 2


@pytest.mark.slow
def test_no_reason_is_printed_twice():
    lines = [line for line in matrix(str(HOME)).stdout.splitlines() if line.startswith("  ")]
    assert len(lines) == len(set(zip(lines, sections(matrix(str(HOME)).stdout), strict=True)))


def sections(text: str) -> list[str]:
    """Return for each reason the system that it is of."""
    found, name = [], ""
    for line in text.splitlines():
        if line.startswith("  "):
            found.append(name)
        else:
            name = line
    return found
