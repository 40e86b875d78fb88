"""Where a value goes in a policy's text: each edit is what a person would write."""

from collections.abc import Sequence

import pytest

from tcc import api
from tcc.diagnostics import Diagnostic
from tcc.source import Source
from tcc.sweep.axes import read_axes
from tcc.sweep.flat import flat
from tcc.sweep.places import edits, parameters, places, splice

POLICY = """\
let up = 18mbit  # the line
param rtt : duration = 50ms
param port : device
profile site { framing ethernet; egress { bandwidth 5mbit } }
link wan : site {
    device port
    egress {
        bandwidth 95% of up   # of the line
        rtt rtt

        # last
        fairness per-host
    }
    ingress { bandwidth 50mbit; qdisc tbf { burst 16KiB; inner bfifo } }
}
testbed slow { beyond 20mbit }
objective "a" { on slow; under rrul + tcp_nup 4 flows for 10s rtt 20ms; require ping loss <= 1% }
objective "b" { under voip 2 calls; require ping loss <= 1% }
"""


def written(param: str, value: str, text: str = POLICY) -> str:
    source = Source("p.tcc", text)
    [axis], _, _ = read_axes((f"{param}={value}",))
    found = places(api.load(source), axis)
    assert isinstance(found, Sequence), found
    return splice(source, edits(found, value)).text


@pytest.mark.parametrize(
    ("param", "value", "before", "after"),
    [
        ("up", "20mbit", "let up = 18mbit  #", "let up = 20mbit  #"),
        ("rtt", "80ms", "duration = 50ms", "duration = 80ms"),
        ("port", "eth1", "port : device\n", 'port : device = "eth1"\n'),
        ("wan.egress.bandwidth", "10mbit", "95% of up   #", "10mbit   #"),
        ("wan.egress.rtt", "10ms", "rtt rtt", "rtt 10ms"),
        ("wan.egress.memory", "4MiB", "per-host\n", "per-host\n        memory 4MiB\n"),
        ("wan.ingress.rtt", "10ms", "bfifo } }", "bfifo }; rtt 10ms }"),
        ("wan.ingress.qdisc.burst", "8KiB", "burst 16KiB", "burst 8KiB"),
        ("wan.framing", "raw", "inner bfifo } }\n", "inner bfifo } }\n    framing raw\n"),
        ("site.egress.bandwidth", "6mbit", "bandwidth 5mbit", "bandwidth 6mbit"),
        ("slow.beyond", "10mbit", "beyond 20mbit", "beyond 10mbit"),
        ("slow.loss", "1%", "beyond 20mbit", "beyond 20mbit; loss 1%"),
    ],
)
def test_a_value_is_written_in_its_place_and_all_else_stays(param, value, before, after):
    assert POLICY.count(before) == 1
    assert written(param, value) == POLICY.replace(before, after)


def test_a_link_is_set_where_its_directions_overrule_it():
    text = written("wan.bandwidth", "7mbit")
    assert text.count("bandwidth 7mbit") == 3  # the link, both directions; the profile's stays
    assert "bandwidth 5mbit" in text


def test_a_direction_that_is_not_there_is_added():
    text = 'link a { device "eth0"; bandwidth 5mbit }\n'
    changed = written("a.ingress.bandwidth", "1mbit", text)
    assert changed == 'link a { device "eth0"; bandwidth 5mbit; ingress { bandwidth 1mbit } }\n'


def test_workloads_are_put_into_every_objective_and_the_rest_of_it_stays():
    text = written("workload", "tcp_ndown 2 flows")
    assert "under tcp_ndown 2 flows for 10s rtt 20ms;" in text
    assert "under tcp_ndown 2 flows; require" in text


@pytest.mark.parametrize(
    ("param", "near"),
    [
        ("upp", "up"),
        ("wan.egress.bandwith", "wan.egress.bandwidth"),
        ("wam.egress.bandwidth", "wan.egress.bandwidth"),
        ("workloads", "workload"),
        ("slow.bandwidth", None),
        ("wan.egress.qdisc.burst", None),
        ("wan.", None),
        ("wan..rtt", None),
    ],
)
def test_what_is_not_there_is_refused_with_what_was_perhaps_meant(param, near):
    [axis], _, _ = read_axes((f"{param}=1mbit",))
    found = places(api.load(Source("p.tcc", POLICY)), axis)
    assert isinstance(found, Diagnostic)
    assert found.code == "sweep-param"
    if near:
        assert f"did you mean `{near}`?" in found.hints


def test_a_policy_in_json_is_refused():
    [axis], _, _ = read_axes(("up=1mbit",))
    found = places(api.load(Source("p.tcc.json", '{"links": []}')), axis)
    assert isinstance(found, Diagnostic)
    assert "JSON" in found.message


def test_what_is_offered_can_be_varied():
    built = api.load(Source("p.tcc", POLICY))
    for name in parameters(built):
        [axis], _, _ = read_axes((f"{name}=1mbit",))
        assert not isinstance(places(built, axis), Diagnostic), name


def test_a_policy_with_includes_becomes_one_text(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/rates.tcc").write_text('include "more.tcc"\nlet up = 5mbit\n')
    (tmp_path / "lib/more.tcc").write_text("let rtt = 20ms\n")
    main = tmp_path / "main.tcc"
    main.write_text(
        'include "lib/rates.tcc" # rates\ninclude "lib/more.tcc"\n'
        'link a { device "eth0"; egress { bandwidth up; rtt rtt } }\n'
    )
    built = api.load(str(main))
    whole = flat(built)
    assert "include" not in whole.text
    assert api.load(Source("elsewhere.tcc", whole.text)).policy == built.policy
