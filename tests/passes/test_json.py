"""Policies as JSON: the same policy, checked against the published schema."""

import json
from pathlib import Path

import jsonschema
import pytest

from tcc import api
from tcc.schema import json_schema, to_json
from tcc.source import Source

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.tcc"))
WAN = {"name": "wan", "device": {"name": "eth0"}}


def load(data):
    text = data if isinstance(data, str) else json.dumps(data)
    return api.load(Source("policy.tcc.json", text))


def said(data):
    """The code and the JSON path of each finding."""
    return [(item.code, item.path) for item in load(data).found]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_go_to_json_and_back(path):
    policy = api.load(str(path), {}).policy
    again = load(to_json(policy))
    assert again.found == ()
    assert again.policy == policy


def test_the_schema_is_one_of_2020_12():
    published = json_schema()
    assert published["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(published)
    text = json.dumps(published)
    assert "oneOf" not in text
    assert "anyOf" not in text  # alternatives are if/then/else: each fault at its own place


def test_everything_in_the_schema_is_described():
    for name, part in json_schema()["$defs"].items():
        assert part.get("description"), name


def test_the_texts_of_fields_are_their_descriptions():
    parts = json_schema()["$defs"]
    assert parts["Link"]["properties"]["tiers"]["description"] == (
        "Tiers that only this link has; those of the policy hold for all links."
    )
    assert parts["tbf-options"]["properties"]["burst"]["description"].startswith("The depth")


def test_options_are_those_of_the_kind():
    def options(kind, **given):
        qdisc = {"kind": kind, "options": given}
        return {"links": [WAN | {"egress": {"bandwidth": {"rate": "5mbit"}, "qdisc": qdisc}}]}

    at = "$.links[0].egress.qdisc.options"
    assert said(options("tbf", burst="20KiB", latency="50ms")) == []
    assert said(options("tbf", nat=True)) == [("json-unknown-name", f"{at}.nat")]
    assert said(options("tbf", burst=20480)) == [("json-value", f"{at}.burst")]
    inner = {"kind": "sfq", "options": {"limit": "much"}}
    assert said(options("tbf", burst="20KiB", latency="50ms", inner=inner)) == [
        ("json-value", f"{at}.inner.options.limit")
    ]
    assert said({"links": [WAN | {"egress": {"qdisc": {"kind": "auto", "options": {}}}}]}) == [
        ("json-value", "$.links[0].egress.qdisc")
    ]
    assert said({"links": [WAN | {"egress": {"qdisc": {"kind": "caek"}}}]}) == [
        ("json-value", "$.links[0].egress.qdisc.kind")
    ]


def test_every_fault_is_reported_at_its_own_path():
    found = load(
        {
            "lnks": [],
            "links": [
                {"device": {"name": "eth0", "kind": "x"}, "name": "wan"},
                {"name": "b", "device": {"name": "x"}, "egress": {"bandwidth": {"rate": 5}}},
                {"name": "c"},
                {"name": "d", "device": {"name": "a"}, "framing": {"preset": "pppoe-ptn"}},
                {"name": "e", "device": {"name": "a"}, "ingress": {"rtt": "5", "dscp": "bleach"}},
            ],
            "tiers": [{"name": "voice", "tin": "vioce", "matches": []}],
        }
    ).found
    assert [(item.code, item.path) for item in found] == [
        ("json-unknown-name", "$.lnks"),
        ("json-unknown-name", "$.links[0].device.kind"),
        ("json-value", "$.links[1].egress.bandwidth.rate"),
        ("json-missing", "$.links[2]"),
        ("json-value", "$.links[3].framing.preset"),
        ("json-value", "$.links[4].ingress.rtt"),
        ("json-value", "$.links[4].ingress.dscp"),
        ("json-value", "$.tiers[0].tin"),
    ]
    messages = [item.message for item in found]
    assert "such as `100mbit`" in messages[2]
    assert "did you mean `pppoe-ptm`?" in messages[4]
    assert "did you mean `links`?" in found[0].hints


def test_findings_point_into_the_text():
    text = '{"links": [{"name": "wan",\n "device": {"name": "eth0"}, "tires": []}]}'
    [item] = load(text).found
    assert text[item.span.start : item.span.end] == '"tires"'


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", 0),
        ("{", 1),
        ('{"links": [}', 11),
        ('{"links": []', 12),
        ('{"links" []}', 9),
        ('{"a": 1, "a": 2}', 9),
        ('{"a": 01}', 7),
        ('{"a": "x}', 6),
        ('{"a": NaN}', 6),
        ("[" * 200, 101),
        ("{} x", 3),
        ("{'a': 1}", 1),
    ],
)
def test_text_that_is_not_json(text, where):
    [item] = load(text).found
    assert item.code == "json-malformed"
    assert item.span.start == where


@pytest.mark.parametrize("text", ["[]", "null", '"link"', "5", "true"])
def test_json_that_is_no_object(text):
    assert said(text) == [("json-value", "$")]


def test_a_parameter_cannot_be_given_to_json():
    assert api.load(Source("a.json", "{}"), {"up": "5mbit"}).found == ()


def objective(*require, **other):
    return {"text": "x", "under": [{"name": "rrul"}], "require": [*require]} | other


GOOD = {"metric": "loss", "comparison": "<=", "ratio": "1%"}


def tier(**match):
    return {"links": [WAN], "tiers": [{"name": "voice", "tin": "voice", "matches": [match]}]}


@pytest.mark.parametrize(
    ("data", "code", "path"),
    [
        ({"links": [WAN, WAN]}, "duplicate-name", "$.links[1].name"),
        ({"links": [{"name": "a", "device": {}}]}, "missing-device", "$.links[0].device"),
        ({"links": [{"name": "a", "device": {"name": "a:b"}}]}, "invalid-device",
         "$.links[0].device.name"),
        ({"links": [{"name": "a", "device": {"matching": "eth0"}}]}, "invalid-device",
         "$.links[0].device.matching"),
        ({"links": [WAN | {"connection_mark": {"dscp": 63, "valid": 32}}]},
         "connection-mark-unfit", "$.links[0].connection_mark"),
        ({"links": [WAN | {"egress": {"bandwidth": {"rate": "9mbit", "minimum": "1mbit",
         "maximum": "2mbit"}}}]}, "bounds-exclude-rate", "$.links[0].egress.bandwidth"),
        ({"links": [WAN | {"egress": {"bandwidth": {"rate": "9mbit", "minimum": "1mbit"}}}]},
         "bounds-exclude-rate", "$.links[0].egress.bandwidth"),
        ({"links": [WAN | {"egress": {"gso": {"mode": "split-when"}}}]}, "unknown-value",
         "$.links[0].egress.gso"),
        ({"links": [WAN | {"egress": {"prefer": ["gso"]}}]}, "unknown-value",
         "$.links[0].egress.prefer[0]"),
        ({"links": [WAN | {"egress": {"memory": "-5B"}}]}, "value-out-of-range",
         "$.links[0].egress.memory"),
        ({"links": [WAN | {"role": {"kind": "host", "facing_hosts": True}}]}, "unknown-value",
         "$.links[0].role"),
        (tier(), "empty-tier", "$.tiers[0].matches[0]"),
        (tier(ports=[{"first": 5, "last": 4}], protocols=["udp"]), "empty-range",
         "$.tiers[0].matches[0].ports[0]"),
        (tier(ports=[{"first": 4, "last": 5}]), "unknown-value", "$.tiers[0].matches[0].ports"),
        (tier(marks=[{"value": 16, "mask": 15}]), "mark-outside-mask",
         "$.tiers[0].matches[0].marks[0]"),
        (tier(local_addresses=["10.0.0.1/8"]), "invalid-address",
         "$.tiers[0].matches[0].local_addresses[0]"),
        (tier(protocols=["udq"]), "unknown-value", "$.tiers[0].matches[0].protocols[0]"),
        (tier(devices=["a b"]), "invalid-device", "$.tiers[0].matches[0].devices[0]"),
        ({"tiers": [{"name": "ping", "tin": "voice", "matches": [{"dscp": [46]}]}]},
         "reserved-name", "$.tiers[0].name"),
        ({"workloads": [{"name": "rrul", "parts": [{"kind": "ping"}]}]}, "duplicate-name",
         "$.workloads[0].name"),
        ({"workloads": [{"name": "w", "parts": []}]}, "empty-workload", "$.workloads[0]"),
        ({"workloads": [{"name": "w", "parts": [{"kind": "tcp"}]}]}, "unknown-value",
         "$.workloads[0].parts[0]"),
        ({"testbeds": [{"name": "t", "kernel": "linux-9"}]}, "unknown-cost-profile",
         "$.testbeds[0].kernel"),
        ({"objectives": [objective(GOOD)]}, "missing-link", "$.objectives[0]"),
        ({"links": [WAN], "objectives": [objective()]}, "missing-clause", "$.objectives[0]"),
        ({"links": [WAN], "objectives": [objective(GOOD, link="lan")]}, "unknown-link",
         "$.objectives[0].link"),
        ({"links": [WAN], "objectives": [objective(GOOD, testbed="t")]}, "unknown-testbed",
         "$.objectives[0].testbed"),
        ({"links": [WAN], "objectives": [objective(GOOD, under=[{"name": "rul"}])]},
         "unknown-workload", "$.objectives[0].under[0].name"),
        ({"links": [WAN], "objectives": [objective(GOOD | {"ratio": "101%"})]},
         "value-out-of-range", "$.objectives[0].require[0].ratio"),
        ({"links": [WAN], "objectives": [objective(GOOD | {"count": 5})]}, "dimension-mismatch",
         "$.objectives[0].require[0]"),
        ({"links": [WAN], "objectives": [objective(GOOD | {"statistic": "p99"})]},
         "unexpected-statistic", "$.objectives[0].require[0].statistic"),
        ({"links": [WAN], "objectives": [objective(GOOD | {"subject": "nobody"})]},
         "unknown-subject", "$.objectives[0].require[0]"),
        ({"links": [WAN], "objectives": [objective(GOOD | {"subject": "host"})]},
         "subject-metric", "$.objectives[0].require[0]"),
        ({"links": [WAN], "objectives": [objective(
            {"metric": "latency", "comparison": "<=", "duration": "5ms"})]},
         "missing-statistic", "$.objectives[0].require[0]"),
    ],
)  # fmt: skip
def test_policies_that_contradict_themselves(data, code, path):
    assert said({"version": 1} | data) == [(code, path)]
