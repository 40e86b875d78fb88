"""The netlink back end, as far as it needs no kernel."""

import pytest

from tcc import api, plugin
from tcc.diagnostics import Severity
from tcc.facts import DeviceFacts, Facts, QdiscFacts
from tcc.plan.diff import diff
from tcc.plan.state import Place, QdiscItem
from tcc.source import Source

ROOT = Place("eth0", "root")
POLICY = 'link wan { device "eth0"; egress { bandwidth 50mbit; qdisc tbf { inner bfifo } } }\n'

CAKE = 'link wan { device "eth0"; egress { bandwidth 50mbit; tiers diffserv4; qdisc cake } }\n'


def lowered(policy, facts=None):
    built = api.load(Source("test.tcc", policy))
    assert built.policy, built.found
    return api.lower(built, "netlink", facts)


def test_a_root_and_what_hangs_in_it():
    state, found = lowered(POLICY)
    assert not [one for one in found if one.severity is Severity.ERROR]
    assert [(place, item.kind, item.handle) for place, item in state.items()] == [
        (ROOT, "tbf", 0x10000),
        (Place("eth0", "1:1"), "bfifo", 0x100000),
    ]
    assert all(item.path == ("links", 0, "egress") for item in state.values())


@pytest.mark.parametrize(
    ("words", "at"),
    [
        ('link x { device "eth1"; ingress { bandwidth 9mbit; qdisc tbf } }', "ingress"),
        ("tier voice { match dscp ef }", "voice"),
        (
            'link x { device "eth1"; egress { bandwidth 9mbit; tiers diffserv4 }\n'
            "tier t as bulk { match dscp cs1 } }",
            "t",
        ),
    ],
)
def test_what_is_not_built_yet_is_an_error_at_its_words(words, at):
    policy = CAKE + words
    state, found = lowered(policy)
    (one,) = [one for one in found if one.code == "not-built-yet"]
    assert one.severity is Severity.ERROR
    assert policy[one.span.start : one.span.end] == at
    assert one.hints
    assert ROOT in state


def test_a_sysctl_is_left_to_the_machines_owner():
    facts = Facts(
        devices=(DeviceFacts(name="eth0"),),
        sysctls={"net.ipv4.udp_backpressure_interval": "100"},
    )
    policy = """
    link up {
        device "eth0"
        role host
        egress { bandwidth 500mbit; qdisc tbf { inner sfq }; backpressure udp { interval 50ms } }
    }
    """
    (one,) = [one for one in lowered(policy, facts)[1] if one.code == "sysctl-left-alone"]
    assert "sysctl -w net.ipv4.udp_backpressure_interval=50" in one.hints[0]


def test_what_facts_recorded_is_compared_like_a_kernel():
    state, _ = lowered(POLICY)
    back_end = plugin.backend("netlink")
    root, inner = state.values()
    options = [plugin.qdisc(item.kind).netlink(item.settings).hex() for item in (root, inner)]
    device = DeviceFacts(
        name="eth0",
        qdiscs=(
            QdiscFacts(kind="tbf", handle="1:", parent="root", options=options[0]),
            QdiscFacts(kind="bfifo", handle="10:", parent="1:1", options=options[1]),
            QdiscFacts(kind="clsact", handle="ffff:", parent="clsact"),
        ),
    )
    observed = back_end.recorded(Facts(devices=(device,)), state)
    assert set(observed) == {ROOT, Place("eth0", "1:1")}
    assert not diff(observed, state, back_end)


def test_facts_without_qdiscs_are_a_device_that_has_the_kernels_own():
    state, _ = lowered(POLICY)
    back_end = plugin.backend("netlink")
    observed = back_end.recorded(Facts(devices=(DeviceFacts(name="eth0"),)), state)
    assert observed[ROOT] == QdiscItem("", 0, default=True)
    assert not back_end.recorded(Facts(), state)
