"""`tcc tune`: lines whose best settings are known beforehand, and what is said of them."""

import json
import shlex
from fractions import Fraction

import jsonschema
import pytest

from tcc.sweep.tune.explain import least_share
from tcc.sweep.tune.knobs import rounded
from tests.sweep.test_page import Reader

BEHIND = """\
link wan {
    device "eth0"
    framing ethernet
    role router
    egress {
        bandwidth 8mbit  # more than there is
        qdisc cake
    }
}
testbed line { beyond 4mbit }
objective "own" { on line; under tcp_nup 2 flows for 3s rtt 20ms; require ping loss <= 50% }
"""
GOAL = ("--for", "ping induced-latency p99 <= 25ms", "--maximise", "egress.goodput")


@pytest.fixture
def behind(here):
    (here / "p.tcc").write_text(BEHIND)
    return here


def test_the_shaper_ends_just_below_the_line_behind_it(tcc, behind):
    """The queue is in the shaper, which holds it short, from the line's rate downwards.

    A bucket of 4 Mbit/s behind a shaper of the same framing: at a rate above, all of the surplus
    waits in the unmanaged queue behind, for hundreds of milliseconds.
    """
    done = tcc("tune", "p.tcc", *GOAL, "--json", "--vary", "wan.egress.bandwidth=1mbit..8mbit/8")
    found = json.loads(done.out)
    assert done.code == 0
    assert found["found"]
    rate = found["settings"]["wan.egress.bandwidth"]
    assert Fraction(3_800_000) <= Fraction(rate.removesuffix("mbit")) * 10**6 <= Fraction(4_100_000)
    schema = json.loads(tcc("tune", "--schema").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(found, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "score": 0.5}, schema)
    # 1448 of 1514 bytes of a frame are payload, and acknowledgements need nothing of it
    assert Fraction(found["score"]) == pytest.approx(4e6 * 1448 / 1514, rel=0.04)


def test_the_explanation_says_what_was_turned_and_what_limits_it(tcc, behind):
    done = tcc("tune", "p.tcc", *GOAL, "--vary", "wan.egress.bandwidth=1mbit..8mbit/8")
    assert done.code == 0
    assert "the most egress goodput with ping induced-latency p99 <= 25ms" in done.out
    assert "under tcp_nup 2 flows for 3s rtt 20ms" in done.out
    assert "what limits it: with wan.egress.bandwidth" in done.out
    assert "held with 13 of 13 seeds, so that at least 79% of all seeds hold, 95% sure" in done.out
    assert 'the policy\'s objective "own": held, as before' in done.out
    [minus] = [line for line in done.out.splitlines() if line.startswith("-  ")]
    [plus] = [line for line in done.out.splitlines() if line.startswith("+  ")]
    assert minus == "-        bandwidth 8mbit  # more than there is"
    assert plus.endswith("mbit  # more than there is")
    assert (behind / "p.tcc").read_text() == BEHIND


def test_more_than_the_line_is_said_to_rest_on_nothing(tcc, behind):
    (behind / "p.tcc").write_text(BEHIND.replace("on line; ", ""))
    asked = ("--for", "ping loss <= 50%", "--maximise", "egress.utilisation")
    done = tcc("tune", "p.tcc", *asked, "--vary", "wan.egress.bandwidth=9mbit")
    assert "egress utilisation (of the line's 8mbit)" in done.out
    assert "no testbed says what lies beyond the shaper" in done.out


def test_the_page_says_what_the_search_printed(tcc, behind):
    """The choice and its reasons, every setting with its figures, the choice marked in both."""
    vary = ("--vary", "wan.egress.bandwidth=2mbit..8mbit/4")
    done = tcc("tune", "p.tcc", *GOAL, *vary, "--report", "out.html")
    assert done.code == 0
    text = (behind / "out.html").read_text()
    reader = Reader()
    reader.feed(text)
    [_, [name, value]] = reader.tables["Settings"]
    assert name == "wan.egress.bandwidth"
    assert f"    {name}  {value}\n" in done.out
    head, *rows = reader.tables["Every setting"]
    assert head[:2] == [name, "verdict"]
    shown = {tuple(word for word in " ".join(row).split() if word != "chosen") for row in rows}
    printed = done.out.partition("best last:\n")[2].partition("the policy's")[0].splitlines()[1:]
    printed, [rest] = printed[:-1], printed[-1:]
    assert rest == f"    and {len(rows) - len(printed)} that were no better"
    assert len(printed) == 12
    assert {tuple(line.split()) for line in printed} < shown
    assert [row[0] for row in rows if row[1].endswith(" chosen")] == [value]
    for words in ("What limits it: with", "held with 13 of 13 seeds"):
        assert words in text
    assert "-        bandwidth 8mbit" in text
    assert reader.tables["The policy's own objectives"][1] == ["own", "held", "held"]
    assert text.count('fill="none" stroke="var(--ink)"') == 2  # in the cloud, in its legend
    assert reader.drawn == [
        "egress goodput against induced-latency p99; the table below names the points of the front"
    ]
    assert reader.loads
    assert all(one.startswith(("#", "data:")) for one in reader.loads)
    assert "<script" not in text
    assert len(text) < 60_000
    tcc("tune", "p.tcc", *GOAL, *vary, "--report", "again.html", "--jobs", "1")
    assert (behind / "again.html").read_text() == text


def test_write_makes_the_edit_that_was_shown(tcc, behind):
    vary = ("--vary", "wan.egress.bandwidth=2mbit,3mbit")
    found = json.loads(tcc("tune", "p.tcc", *GOAL, *vary, "--json", "--write").out)
    assert found["settings"] == {"wan.egress.bandwidth": "3mbit"}
    assert (behind / "p.tcc").read_text() == BEHIND.replace("bandwidth 8mbit", "bandwidth 3mbit")
    again = tcc("tune", "p.tcc", *GOAL, *vary, "--json")
    assert json.loads(again.out)["settings"] == {}  # nothing is better than what is there


@pytest.mark.slow
def test_the_same_seeds_choose_the_same(tcc, behind):
    vary = ("--vary", "wan.egress.bandwidth=2mbit..5mbit/4")
    first = tcc("tune", "p.tcc", *GOAL, *vary, "--jobs", "1", "--out", "r.sqlite")
    assert tcc("tune", "p.tcc", *GOAL, *vary, "--jobs", "2") == first
    assert tcc("tune", "p.tcc", *GOAL, *vary, "--out", "r.sqlite") == first


def test_utilisation_is_one_of_the_line(tcc, behind):
    """By its own bandwidth every shaper is full; by the line's only the fastest is."""
    wish = ("--maximise", "egress.utilisation", "--for", "ping induced-latency p99 <= 40ms")
    done = tcc("tune", "p.tcc", *wish, "--vary", "wan.egress.bandwidth=2mbit,3mbit", "--json")
    found = json.loads(done.out)
    assert found["settings"] == {"wan.egress.bandwidth": "3mbit"}
    assert Fraction(found["score"]) == pytest.approx(3 / 4, rel=0.02)


def test_what_cannot_be_reached_is_1_and_nothing_is_written(tcc, behind):
    wish = ("--maximise", "egress.goodput", "--for", "ping induced-latency p99 <= 8ms")
    done = tcc("tune", "p.tcc", *wish, "--vary", "wan.egress.bandwidth=7mbit,8mbit", "--write")
    assert done.code == 1
    assert "nothing that was tried holds with every seed" in done.out
    assert "is missed" in done.out
    assert (behind / "p.tcc").read_text() == BEHIND


def test_what_within_allows_may_vary_and_stays(tcc, behind):
    text = BEHIND.replace("bandwidth 8mbit", "bandwidth 3mbit within 2mbit..4mbit")
    (behind / "p.tcc").write_text(text)
    done = tcc("tune", "p.tcc", *GOAL, "--seeds", "1", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    value = found["settings"].get("wan.egress.bandwidth", "3mbit within 2mbit..4mbit")
    rate, _, rest = value.partition(" ")
    assert rest == "within 2mbit..4mbit"
    assert 2 <= Fraction(rate.removesuffix("mbit")) <= 4


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('--for "ping latency <= 5ms" --maximise egress.goodput', "tune-goal"),
        ('--for "pong loss <= 5%" --maximise egress.goodput', "tune-goal"),
        ("--maximise egress.utilization", "tune-goal"),
        ("--maximise egress.goodput --under rrull", "tune-goal"),
        ("--maximise egress.goodput --over lan", "tune-goal"),
        ("--maximise egress.goodput --vary wan.egress.rt=1ms,2ms", "sweep-param"),
        ("--maximise egress.goodput --vary wan.egress.rtt=1mbit,2mbit", "sweep-value"),
        ("--maximise egress.goodput --max-runs 5", "sweep-too-many"),
        ("--maximise egress.goodput --out p.tcc", "sweep-file"),
    ],
)
def test_what_cannot_be_tuned_is_refused(tcc, behind, arguments, code):
    done = tcc("tune", "p.tcc", *shlex.split(arguments))
    assert (done.code, done.out) == (2, "")
    assert f"error[{code}]" in done.err
    assert (behind / "p.tcc").read_text() == BEHIND


def test_a_link_without_bandwidth_has_nothing_to_turn(tcc, behind):
    (behind / "p.tcc").write_text('link wan { device "eth0"; egress { rtt 20ms } }\n')
    done = tcc("tune", "p.tcc", "--maximise", "egress.goodput", "--under", "tcp_nup 1 flow")
    assert (done.code, "error[tune-goal]" in done.err) == (2, True)


def test_one_of_two_wishes_is_said(tcc, behind):
    assert tcc("tune", "p.tcc").code == 2
    both = tcc("tune", "p.tcc", "--maximise", "egress.goodput", "--minimise", "ping.loss")
    assert both.code == 2


@pytest.mark.parametrize(("count", "share"), [(1, 5), (3, 36), (13, 79), (59, 95), (299, 99)])
def test_how_many_seeds_make_how_sure(count, share):
    """59 of 59 for 95%, 299 of 299 for 99%: the rule of three, 3/n, exactly."""
    assert least_share(count) == share


@pytest.mark.parametrize(
    ("rate", "shown"), [(38_456_789, 38_400_000), (999, 999), (1_000, 1_000), (123_456, 123_000)]
)
def test_rates_have_three_digits(rate, shown):
    assert rounded(rate) == shown
