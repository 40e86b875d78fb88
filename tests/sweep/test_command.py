"""`tcc sweep`, as it is called: what it prints, stores and refuses."""

import json
import os
import sqlite3
from fractions import Fraction
from itertools import product

import jsonschema
import pytest

from tcc.sweep.axes import read_axes

GRID = ("--vary", "up=1mbit..3mbit/3", "--vary", "wan.egress.rtt=10ms,50ms", "--seeds", "2")
IMPOSSIBLE = """
objective "more than there is" {
    under tcp_nup 1 flow for 100ms rtt 20ms
    require egress goodput >= 2mbit
}
"""


def test_each_point_is_what_verify_says_of_that_policy(tcc, here):
    """The edited text is written by hand here; the numbers come by another way."""
    swept = json.loads(tcc("sweep", "tiny.tcc", *GRID, "--json").out)
    text = (here / "tiny.tcc").read_text()
    grid = list(product(("1mbit", "2mbit", "3mbit"), ("10ms", "50ms")))
    assert [tuple(point["settings"].values()) for point in swept["points"]] == grid
    for (up, rtt), point in zip(grid, swept["points"], strict=True):
        edited = text.replace("let up = 1mbit", f"let up = {up}").replace("rtt 50ms", f"rtt {rtt}")
        (here / "one.tcc").write_text(edited)
        alone = json.loads(tcc("verify", "one.tcc", "--json", "--repeat", "2", "--no-mend").out)
        [cell], [objective] = point["objectives"], alone["objectives"]
        for ours, theirs in zip(cell["requirements"], objective["requirements"], strict=True):
            for key in ("direction", "unit", "bound", "measured", "interval", "holds", "noisy"):
                assert ours[key] == theirs[key]
        measured = [run["directions"]["egress"]["sojourn"]["p99"] for run in objective["runs"]]
        assert cell["figures"]["egress sojourn p99"] == measured


def test_the_document_is_what_its_schema_says(tcc, here):
    schema = json.loads(tcc("sweep", "--schema").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    (here / "tiny.tcc").write_text((here / "tiny.tcc").read_text() + IMPOSSIBLE)
    document = json.loads(tcc("sweep", "tiny.tcc", *GRID, "--json").out)
    jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "more": 1}, schema)


def test_how_many_processes_work_changes_no_byte(tcc, here):
    serial = tcc("sweep", "tiny.tcc", *GRID, "--json", "--jobs", "1")
    parallel = tcc("sweep", "tiny.tcc", *GRID, "--json", "--jobs", "2")
    assert serial == parallel
    assert serial.code == 0


def test_results_are_taken_from_the_file_and_only_new_ones_are_run(tcc, here):
    whole = tcc("sweep", "tiny.tcc", *GRID, "--json")
    first = tcc("sweep", "tiny.tcc", *GRID[:2], *GRID[4:], "--out", "r.sqlite", "--json")
    assert first.code == 0
    database = sqlite3.connect(here / "r.sqlite")
    # 50ms is what the policy itself says: with it the text is that of the first sweep
    database.execute("UPDATE run SET result = replace(result, 'emergent', 'kept')")
    database.commit()
    again = tcc("sweep", "tiny.tcc", *GRID, "--out", "r.sqlite", "--json")
    points = json.loads(again.out)["points"]
    kept = [point["settings"]["wan.egress.rtt"] == "50ms" for point in points]
    assert [point["objectives"][0]["basis"] == "kept" for point in points] == kept
    assert again.out.replace('"kept"', '"emergent"') == whole.out
    assert database.execute("SELECT count(*), count(DISTINCT key) FROM run").fetchone() == (12, 12)


def test_the_file_tells_what_was_run_without_tcc(tcc, here):
    tcc("sweep", "tiny.tcc", "--vary", "up=2mbit", "--seed", "7", "--out", "r.sqlite")
    database = sqlite3.connect(here / "r.sqlite")
    [[settings, objective, seed, text, held]] = database.execute(
        "SELECT settings, objective, seed, text, json_extract(result, '$.verdicts[0].holds')"
        " FROM run JOIN policy ON policy.digest = run.policy"
    )
    assert (json.loads(settings), objective, seed, held) == ({"up": "2mbit"}, "tiny", 7, 1)
    assert text == (here / "tiny.tcc").read_text()


def test_the_table_has_a_line_for_each_point(tcc, here):
    done = tcc("sweep", "tiny.tcc", "--vary", "up=1mbit,2mbit")
    lines = [line.split() for line in done.out.splitlines()]
    assert lines[0] == ["tiny", "(2", "points,", "1", "seed)"]
    assert lines[4][:4] == ["up", "verdict", "[1]", "[2]"]
    assert [line[:2] for line in lines[5:7]] == [["1mbit", "held"], ["2mbit", "held"]]
    assert done.err == ""


def test_a_point_that_misses_is_1(tcc, here):
    text = (here / "tiny.tcc").read_text().replace("utilisation >= 50%", "loss <= 5%")
    (here / "tiny.tcc").write_text(text)
    done = tcc("sweep", "tiny.tcc", "--vary", "up=1mbit,3mbit")
    assert done.code == 1
    assert "MISSED" in done.out
    assert "held" in done.out


def test_a_point_that_cannot_be_run_says_why_and_the_others_go_on(tcc, here):
    (here / "tiny.tcc").write_text((here / "tiny.tcc").read_text() + IMPOSSIBLE)
    done = tcc("sweep", "tiny.tcc", "--vary", "up=1mbit,5mbit", "--json")
    assert done.code == 1
    states = [
        [cell["state"] for cell in point["objectives"]] for point in json.loads(done.out)["points"]
    ]
    assert states == [["held", "refused"], ["held", "held"]]
    shown = tcc("sweep", "tiny.tcc", "--vary", "up=1mbit,5mbit").out
    assert (
        "refused[objective-rate-above-line]: 2mbit cannot come out of a bandwidth of 1mbit" in shown
    )


def test_where_nothing_can_be_run_it_is_2(tcc, here):
    text = (here / "tiny.tcc").read_text()
    (here / "tiny.tcc").write_text(text.partition("objective")[0] + IMPOSSIBLE)
    assert tcc("sweep", "tiny.tcc", "--vary", "up=1mbit,1500kbit").code == 2


def test_seeds_alone_are_a_sweep(tcc, here):
    document = json.loads(tcc("sweep", "tiny.tcc", "--repeat", "3", "--seed", "5", "--json").out)
    assert document["seeds"] == [5, 6, 7]
    [point] = document["points"]
    assert len(point["objectives"][0]["requirements"][0]["measured"]) == 3


def test_workloads_vary(tcc, here):
    done = tcc("sweep", "tiny.tcc", "--vary", "workload=tcp_nup 1 flow,tcp_ndown 1 flow", "--json")
    up, down = (point["objectives"][0]["figures"] for point in json.loads(done.out)["points"])
    assert "egress goodput" in up
    assert "egress goodput" not in down
    assert Fraction(down["ingress goodput"][0]) > 0


def test_parameters_without_a_value_can_vary(tcc, here):
    text = (here / "tiny.tcc").read_text().replace("let up = 1mbit", "param up : rate")
    (here / "tiny.tcc").write_text(text)
    assert tcc("sweep", "tiny.tcc", "--vary", "up=1mbit").code == 0
    unset = tcc("sweep", "tiny.tcc")
    assert unset.code == 2
    assert "param-unset" in unset.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--vary", "upp=1mbit"), "sweep-param"),
        (("--vary", "up=1mbit,1ms"), "sweep-value"),
        (("--vary", "up=1ms..5ms/9"), "sweep-value"),
        (("--vary", "workload=rrull"), "sweep-value"),
        (("--vary", "up=5mbit..1mbit/3"), "sweep-range"),
        (("--vary", "up=1mbit..2mbit/101", "--seeds", "100"), "sweep-too-many"),
        (("--out", "tiny.tcc"), "sweep-file"),
    ],
)
def test_what_cannot_be_swept_is_refused_before_anything_is_run(tcc, here, arguments, code):
    done = tcc("sweep", "tiny.tcc", *arguments)
    assert done.code == 2
    assert f"error[{code}]" in done.err
    assert done.out == ""
    assert [path.name for path in here.iterdir()] == ["tiny.tcc"]


def test_too_many_says_how_many_and_how_to_allow_them(tcc, here):
    done = tcc("sweep", "tiny.tcc", "--vary", "up=1mbit..2mbit/101", "--seeds", "100")
    assert "101 of up x 1 objective x 100 seeds are 10,100 runs, more than 10,000" in done.err
    assert "--max-runs 10100" in done.err
    few = tcc("sweep", "tiny.tcc", "--vary", "up=1mbit,2mbit", "--max-runs", "1")
    assert few.code == 2


@pytest.mark.parametrize("command", [("sweep",), ("verify",), ("tune", "--maximise", "goodput")])
def test_more_processes_than_can_help_are_refused_before_any_begins(tcc, here, command):
    """None is started: on two processors a million would take all memory there is."""
    done = tcc(*command, "tiny.tcc", "--jobs", "1000000")
    processors = os.cpu_count()
    assert (done.code, done.out) == (2, "")
    assert f"1,000,000 is more than {32 * processors:,}, 32 for each processor" in done.err
    assert f"--jobs {processors}" in done.err


def test_a_policy_without_objectives_and_one_with_errors(tcc, here):
    (here / "none.tcc").write_text('link a { device "eth0"; egress { bandwidth 1mbit } }\n')
    none = tcc("sweep", "none.tcc", "--vary", "a.egress.bandwidth=1mbit,2mbit")
    assert (none.code, "no-objective" in none.err) == (2, True)
    (here / "bad.tcc").write_text("link a { device eth0 }\n")
    bad = tcc("sweep", "bad.tcc", "--vary", "a.egress.bandwidth=1mbit,2mbit")
    assert (bad.code, "bad.tcc:1:" in bad.err) == (2, True)


def test_the_values_of_a_range_reach_the_policy(tcc, here):
    """0.1 steps have no exact text in whole bit/s: the nearest is taken, and shown."""
    done = tcc("sweep", "tiny.tcc", "--vary", "up=1mbit..2mbit/4", "--json")
    [axis], _, _ = read_axes(("up=1mbit..2mbit/4",))
    shown = [point["settings"]["up"] for point in json.loads(done.out)["points"]]
    assert shown == list(axis.values) == ["1mbit", "1333.333kbit", "1666.667kbit", "2mbit"]
