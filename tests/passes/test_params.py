"""Parameters: given, defaulted, unset."""

import pytest

from tcc import api
from tcc.passes.params import Given
from tcc.passes.vars import VarsError, read_values
from tcc.source import Source

POLICY = """\
param up : rate
param share : percent = 95%
param dev : device
param many : count = 4
param spare : rate = share of 10mbit
param net : text = "10.0.0.0/8"
link wan { device dev; egress { bandwidth share of up }; ingress { bandwidth spare } }
workload load { tcp upload many flows }
tier bulk { match local subnet net }
"""


def test_given_values(build):
    built = build(POLICY, {"up": "40mbit", "dev": "eth1", "many": "7", "net": "192.168.0.0/16"})
    [wan] = built.policy.links
    assert (wan.device.name, wan.egress.bandwidth.rate) == ("eth1", 38_000_000)
    assert wan.ingress.bandwidth.rate == 9_500_000
    assert built.policy.workloads[0].parts[0].flows == 7
    assert built.policy.tiers[0].matches[0].local_addresses == ("192.168.0.0/16",)
    assert built.unset == ()


def test_without_values(build):
    built = build(POLICY)
    assert [definition.name for definition in built.unset] == ["up", "dev"]
    assert built.unknown == {("links", 0, "device"), ("links", 0, "egress", "bandwidth")}
    [wan] = built.policy.links
    assert wan.device.name == "unset"
    assert wan.egress.bandwidth is None
    assert wan.ingress.bandwidth.rate == 9_500_000


@pytest.mark.parametrize(
    ("type_", "value", "why"),
    [
        ("rate", "18", "the unit is missing"),
        ("rate", 18, "the unit is missing"),
        ("rate", "20ms", "this is something else"),
        ("rate", "18mbps", "`mbps` means two things"),
        ("rate", "fast", ""),
        ("rate", True, "this is neither a text nor a whole number"),
        ("count", "4ms", "this is something else"),
        ("percent", "0.5", "the unit is missing"),
        ("device", "eth 0", "an interface name has no blanks, `/` or `:`"),
        ("text", 5, "this is no text"),
    ],
)
def test_values_of_the_wrong_kind(type_, value, why):
    built = api.load(Source("policy.tcc", f"param p : {type_}\n"), {"p": value})
    [error] = built.found
    assert error.code == "param-value"
    assert error.message.startswith(why)
    assert built.policy is None


def test_a_value_for_no_parameter(errors):
    assert errors("param up : rate\n", {"upp": "5mbit", "up": "5mbit"}) == [("unknown-param", "")]


def test_set_points_into_its_own_words():
    given = read_values(["up=18mbit", "dev=eth 0"], [])
    built = api.load(Source("policy.tcc", "param up : rate\nparam dev : device\n"), given)
    [error] = built.found
    source = built.sources[error.span.path]
    assert (source.path, source.position(error.span.start)) == ("--set", (2, 1))
    assert source.text[error.span.start : error.span.end] == "dev=eth 0"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("site.json", '{"up": "18mbit", "many": 7}'),
        ("site.yaml", "up: 18mbit\nmany: 7\n"),
        ("site.yml", "{up: 18mbit, many: 7}"),
        ("pairs.csv", "name,value\nup,18mbit\nmany,7\n"),
        ("row.csv", "up,many\n18mbit,7\n"),
    ],
)
def test_files_of_values(build, tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    given = read_values([], [str(path)])
    built = api.load(Source("policy.tcc", POLICY), given)
    assert built.found == ()
    assert built.policy.workloads[0].parts[0].flows == 7


def test_set_wins_over_files_and_later_files_over_earlier(tmp_path):
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    first.write_text('{"a": "1", "b": "1", "c": "1"}')
    second.write_text('{"b": "2", "c": "2"}')
    given = read_values(["c=3"], [str(first), str(second)])
    assert given.values == {"a": "1", "b": "2", "c": "3"}


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.json", "[1]", "expected an object"),
        ("a.json", '{"a": {}}', "`a` is not a single one"),
        ("a.json", '{"a": 1', ":1: expected `,`"),
        ("a.yaml", "- 1\n", "expected names and values"),
        ("a.yaml", "a: [1]\n", ":1: expected a name and a single value"),
        ("a.yaml", "a: 1\na: 2\n", ":2: `a` is given twice"),
        ("a.yaml", "a: [\n", "expected node content"),
        ("a.csv", "a,b\n1,2\n3,4\n", "expected columns"),
        ("a.csv", "name,value\na\n", "each row has a name and a value"),
        ("a.toml", "a = 1", "the name must end in"),
    ],
)
def test_files_that_are_no_values(tmp_path, name, text, why):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(VarsError) as caught:
        read_values([], [str(path)])
    assert why in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(VarsError, match="No such file"):
        read_values([], [str(tmp_path / "no.json")])


def test_set_without_equals():
    with pytest.raises(VarsError, match="write --set NAME=value"):
        read_values(["up"], [])


def test_unknown_ports_and_counts_leave_their_paths(build):
    built = build(
        'param p : count\nlink wan { device "a" }\n'
        "tier voice { match udp port p, 5 }\nworkload load { tcp upload p flows }\n"
        'objective "x" { under load p flows for 5s; require ping latency p99 <= p * 1ms }\n'
    )
    assert built.unknown == {
        ("tiers", 0, "matches", 0, "ports"),
        ("workloads", 0, "parts", 0, "flows"),
        ("objectives", 0, "under", 0, "flows"),
        ("objectives", 0, "require", 0, "duration"),
    }


def test_options_of_a_qdisc_may_depend_on_a_parameter(build):
    text = 'param b : size\nlink wan { device "a"; bandwidth 5mbit; qdisc tbf { burst b } }'
    built = build(text)
    assert ("links", 0, "egress", "qdisc", "options", "burst") in built.unknown
    options = build(text, {"b": "20KiB"}).policy.links[0].egress.qdisc.options
    assert options.burst == 20_480


def test_given_is_what_a_mapping_becomes():
    assert api.load(Source("p.tcc", "param a : rate"), Given({"a": "5mbit"})).unset == ()
