"""The comparison with published figures: what is inside a band and what is not."""

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tcc.experiments.comparison import CALIBRATED, EMERGENT, Check, Ours, Study, held, lines
from tcc.experiments.published import figures

DOCUMENTS = ("mq-rate-adjust", "split-gso-bql", "udp-backpressure", "udp-flood")
JUDGED = {"mq-rate-adjust": 23, "split-gso-bql": 17, "udp-backpressure": 6, "udp-flood": 7}


def study(document: str, factor: Fraction, **changes: object) -> Study:
    """Return a study whose values are the published ones times a factor."""
    ours = {
        (figure.row, figure.metric, figure.unit): Ours(figure.value * factor, EMERGENT)
        for figure in figures(document)
        if isinstance(figure.value, Fraction)
    }
    return Study(document, {}, {**ours, **changes.pop("ours", {})}, {}, **changes)  # type: ignore


@pytest.mark.parametrize("document", DOCUMENTS)
def test_which_figures_are_judged(document: str):
    judged = [figure for figure in figures(document) if figure.band is not None]
    assert len(judged) == JUDGED[document]
    assert all(figure.kind in (EMERGENT, CALIBRATED) for figure in judged)
    keys = [(figure.row, figure.metric, figure.unit) for figure in judged]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_published_figures_themselves_hold(document: str):
    assert held(study(document, Fraction(1)))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_tenth_beside_does_not(document: str):
    assert not held(study(document, Fraction(112, 100)))


def test_a_band_ends_where_it_says():
    """56,149,224 packets, 3 per cent: up to 57,833,700.72."""
    key = ("baseline", "sent", "packets")
    for value, inside in ((57_833_700, True), (57_833_701, False), (54_464_747, False)):
        one = study("udp-flood", Fraction(1), ours={key: Ours(Fraction(value), CALIBRATED)})
        line = next(
            line
            for line in lines(one)
            if (line.figure.row, line.figure.metric, line.figure.unit) == key
        )
        assert line.inside is inside
        assert held(one) is inside


def test_a_judged_figure_without_ours_does_not_hold():
    one = study("udp-flood", Fraction(1))
    ours = {key: value for key, value in one.ours.items() if key[0] != "baseline"}
    assert not held(Study("udp-flood", {}, ours, {}))


def test_a_failed_check_does_not_hold():
    assert held(study("udp-flood", Fraction(1), checks=(Check("so", True),)))
    assert not held(study("udp-flood", Fraction(1), checks=(Check("so", False),)))


def test_models_do_not_read_the_published_table():
    """Only `published` opens the table, and only the comparison imports it."""
    root = Path(__file__).parents[2] / "tcc"
    readers = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if "published-tables" in path.read_text() or "experiments.published" in path.read_text()
    }
    assert readers == {"experiments/published.py", "experiments/comparison.py"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tcc", "experiment", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_lists_and_refuses():
    listed = run()
    assert listed.returncode == 0
    assert all(name in listed.stdout for name in DOCUMENTS)
    assert run("no-such").returncode == 2
    refused = run("udp-flood", "--repeat", "3")
    assert refused.returncode == 2
    assert "--repeat is for kernel-tcp" in refused.stderr


@pytest.mark.slow
def test_split_gso_bql_holds_and_says_the_same_twice():
    first, second = (run("split-gso-bql", "--json") for _ in range(2))
    assert first.returncode == 0, first.stdout
    found = [json.loads(each.stdout) for each in (first, second)]
    for each in found:
        del each["seconds"]
    assert found[0] == found[1]
    kinds = {one["kind"] for one in found[0]["figures"]}
    assert kinds == {"emergent", "calibrated", "not judged"}
