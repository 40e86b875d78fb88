"""The example policies become what a reader would say they mean."""

from fractions import Fraction
from pathlib import Path

import pytest

from tcc import api
from tcc.ir import (
    Bandwidth,
    Device,
    Framing,
    Gso,
    Link,
    Match,
    Objective,
    Part,
    Policy,
    PortRange,
    Requirement,
    Role,
    Shaping,
    Tier,
    Workload,
    WorkloadUse,
)
from tcc.passes import Kind
from tcc.source import Span

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
MBIT, MS, S = 10**6, 10**6, 10**9

HOME = Policy(
    links=(
        Link(
            name="wan",
            device=Device(name="pppoe-wan"),
            framing=Framing(preset="pppoe-ptm"),
            role=Role(kind="router"),
            egress=Shaping(
                bandwidth=Bandwidth(rate=38 * MBIT),  # 95% of 40mbit
                tiers="diffserv4",
                fairness="per-host",
                rtt=50 * MS,
                gso=Gso(mode="split"),
                ack_filter="on",
            ),
            ingress=Shaping(
                bandwidth=Bandwidth(rate=90 * MBIT),
                tiers="diffserv4",
                fairness="per-host",
                dscp="wash",
            ),
        ),
    ),
    tiers=(
        Tier(
            name="voice",
            tin="voice",
            matches=(
                Match(dscp=(46,)),
                Match(protocols=("udp",), remote_ports=(PortRange(first=3478, last=3481),)),
            ),
        ),
        Tier(
            name="bulk",
            tin="bulk",
            matches=(Match(protocols=("tcp",), remote_ports=(PortRange(first=6881, last=6999),)),),
        ),
    ),
    workloads=(
        Workload(
            name="crowd",
            parts=(
                Part(kind="tcp", direction="upload", flows=16, hosts=1),
                Part(kind="tcp", direction="upload", flows=1, hosts=1),
            ),
        ),
    ),
    objectives=(
        Objective(
            text="calls survive a full line",
            under=(WorkloadUse(name="rrul"),),
            duration=20 * S,
            rtt=40 * MS,
            require=(
                Requirement(
                    direction="egress",
                    metric="utilisation",
                    comparison=">=",
                    ratio=Fraction(95, 100),
                ),
                Requirement(
                    direction="ingress",
                    metric="utilisation",
                    comparison=">=",
                    ratio=Fraction(90, 100),
                ),
                Requirement(
                    subject="voice",
                    metric="induced-latency",
                    statistic="p99",
                    comparison="<=",
                    duration=10 * MS,
                ),
                Requirement(
                    subject="voice", metric="loss", comparison="<=", ratio=Fraction(1, 1000)
                ),
            ),
        ),
        Objective(
            text="one busy host leaves the others their share",
            under=(WorkloadUse(name="crowd"),),
            duration=20 * S,
            rtt=40 * MS,
            require=(
                Requirement(
                    direction="egress",
                    subject="host",
                    metric="fairness",
                    comparison=">=",
                    ratio=Fraction(95, 100),
                ),
            ),
        ),
    ),
)


def branch(up: Bandwidth | None, down: Bandwidth | None, device: str) -> Policy:
    office = {"tiers": "diffserv4", "fairness": "per-host", "rtt": 30 * MS}
    voice = Match(
        protocols=("udp",),
        remote_ports=(PortRange(first=5060, last=5061), PortRange(first=16384, last=32767)),
    )
    return Policy(
        links=(
            Link(
                name="wan",
                device=Device(name=device),
                framing=Framing(preset="ethernet", vlans=1),
                role=Role(kind="router"),
                egress=Shaping(bandwidth=up, ack_filter="on", **office),
                ingress=Shaping(bandwidth=down, dscp="wash", **office),
            ),
        ),
        tiers=(
            Tier(name="voice", tin="voice", matches=(Match(dscp=(46, 40, 48)), voice)),
            Tier(name="video", tin="video", matches=(Match(dscp=(34, 36, 38)),)),
            Tier(
                name="bulk",
                tin="bulk",
                matches=(Match(dscp=(8,)), Match(local_addresses=("10.0.9.0/24",))),
            ),
        ),
    )


def test_home():
    built = api.load(str(EXAMPLES / "home.tcc"))
    assert built.found == ()
    assert built.policy == HOME
    assert built.unset == ()
    assert built.unknown == frozenset()


def test_branch_without_values_leaves_out_what_depends_on_them():
    built = api.load(str(EXAMPLES / "branch.tcc"))
    assert built.found == ()
    assert built.policy == branch(None, None, "wan")
    assert [definition.name for definition in built.unset] == ["up", "down"]
    assert built.unknown == {
        ("links", 0, "egress", "bandwidth"),
        ("links", 0, "ingress", "bandwidth"),
    }


def test_branch_with_values():
    built = api.load(
        str(EXAMPLES / "branch.tcc"), {"up": "18mbit", "down": "90mbit", "port": "eth7"}
    )
    assert built.found == ()
    assert built.policy == branch(
        Bandwidth(rate=18 * MBIT), Bandwidth(rate=90 * MBIT), device="eth7"
    )
    assert built.unknown == frozenset()


def test_using_a_policy_with_unset_parameters_is_one_error_that_names_them_all():
    built = api.load(str(EXAMPLES / "branch.tcc"), complete=True)
    assert built.policy is None
    [error] = built.found
    assert error.code == "param-unset"
    assert error.message == "`up`, `down` have no value"
    text = (EXAMPLES / "branch.tcc").read_text()
    assert text[error.span.start : error.span.end] == "up"
    [(_, other)] = error.related
    assert text[other.start : other.end] == "down"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.tcc")), ids=lambda path: path.stem)
def test_every_example_builds(path):
    built = api.load(str(path))
    assert built.found == ()
    assert built.policy is not None


def test_the_examples_are_the_six_of_the_design():
    assert {path.stem for path in EXAMPLES.glob("*.tcc")} >= {
        "branch", "gigabit-gso", "home", "lte", "multigig", "udp-server",
    }  # fmt: skip


def words_at(built, path: str, span: Span) -> str:
    return built.sources[path].text[span.start : span.end]


def test_places_are_those_of_the_values():
    path = str(EXAMPLES / "branch.tcc")
    built = api.load(path, {"up": "18mbit", "down": "90mbit"})
    expected = {
        ("links", 0): "wan",
        ("links", 0, "device"): "port",
        ("links", 0, "framing"): "ethernet + vlan",
        ("links", 0, "egress"): "egress",
        ("links", 0, "egress", "bandwidth"): "up",
        ("links", 0, "egress", "tiers"): "diffserv4",  # written in the profile
        ("links", 0, "ingress", "dscp"): "wash",
        ("tiers", 0, "matches", 1, "remote_ports"): "5060..5061, 16384..32767",
    }
    assert {place: words_at(built, path, built.spans[place]) for place in expected} == expected


def test_options_of_a_qdisc_have_places_down_to_the_inner_one():
    path = str(EXAMPLES / "udp-server.tcc")
    built = api.load(path)
    qdisc = ("links", 0, "egress", "qdisc")
    expected = {
        qdisc: "tbf",
        (*qdisc, "options", "burst"): "20KiB",
        (*qdisc, "options", "inner"): "sfq",
        (*qdisc, "options", "inner", "kind"): "sfq",
        ("links", 0, "egress", "backpressure", "senders"): "16",
    }
    assert {place: words_at(built, path, built.spans[place]) for place in expected} == expected


def test_names_know_their_uses():
    path = str(EXAMPLES / "home.tcc")
    built = api.load(path)
    uses = {
        (str(definition.kind), definition.name): len(definition.uses) for definition in built.names
    }
    assert uses == {
        ("let", "sync_down"): 1,
        ("let", "sync_up"): 1,
        ("link", "wan"): 0,
        ("workload", "crowd"): 1,
        ("tier", "voice"): 2,
        ("tier", "bulk"): 0,
    }
    [sync_up] = [each for each in built.named(Kind.LET) if each.name == "sync_up"]
    assert words_at(built, path, sync_up.span) == "sync_up"
    assert [words_at(built, path, use) for use in sync_up.uses] == ["sync_up"]
