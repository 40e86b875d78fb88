"""`cake_mq`: CAKE's settings, and what several queues change."""

import pytest

from tcc import api
from tcc.facts import DeviceFacts, Facts
from tcc.plan.state import LinkItem, Place
from tcc.source import Source
from tcc_plugins.cake import Cake, CakeSettings
from tcc_plugins.cake_mq import CakeMq
from tests.plugins.lowered import link, lower_one, lower_text, settings_of

PRIORITY = "net.ipv4.ip_forward_update_priority"


def host(queues: int = 4, **sysctls: str) -> Facts:
    device = DeviceFacts(name="eth0", tx_queues=queues)
    return Facts(qdiscs=("cake", "cake_mq"), devices=(device,), sysctls=sysctls)


def test_settings_and_bytes_are_cakes():
    text = link("bandwidth 2gbit; tiers diffserv4; fairness per-host; qdisc KIND")
    mq, one = (settings_of(text.replace("KIND", kind)) for kind in ("cake_mq", "cake"))
    assert mq == one == CakeSettings(rate=250_000_000, diffserv=1, flow_mode=5)
    assert CakeMq().netlink(mq) == Cake().netlink(one)
    assert CakeMq().command(mq) == Cake().command(one)
    assert CakeMq().read(CakeMq().netlink(mq)) == mq


@pytest.mark.parametrize(
    ("body", "facts", "codes"),
    [
        ("qdisc cake_mq { autorate-ingress; besteffort }", None, ["cake-mq-autorate"]),
        ("bandwidth 5mbit within 1mbit..9mbit; tiers besteffort; qdisc cake_mq", None,
         ["cake-mq-bounds"]),
        ("tiers besteffort; qdisc cake_mq", host(1), ["cake-mq-one-queue"]),
        ("tiers besteffort; qdisc cake_mq", host(2), []),
        ("tiers besteffort; memory 4MiB; qdisc cake_mq", host(8), ["cake-mq-memory"]),
        ("tiers besteffort; fairness per-host; qdisc cake_mq", None, ["cake-mq-fairness"]),
        ("tiers besteffort; fairness none; qdisc cake_mq", None, []),
        ("tiers diffserv4; qdisc cake_mq", None, ["cake-mq-priority"]),
        ("bandwidth 504bit; tiers besteffort; qdisc cake_mq", None, ["cake-rate-below-pace"]),
    ],
)  # fmt: skip
def test_findings(body, facts, codes):
    _, found = lower_text(link(body), facts)
    assert [code for code, _ in found] == codes


def test_what_comes_in_by_one_queue_gains_nothing():
    text = link("tiers besteffort; qdisc cake_mq", direction="ingress")
    assert lower_text(text)[1] == [("cake-mq-ingress", "cake_mq")]
    assert lower_text(text, receiving(1))[1] == [("cake-mq-ingress", "cake_mq")]
    assert lower_text(text, receiving(4))[1] == []


@pytest.mark.parametrize(("receive", "queues"), [(1, 2), (2, 2), (4, 4)])
def test_the_ifb_has_a_queue_for_each_that_brings_packets(receive, queues):
    text = link("tiers besteffort; bandwidth 2gbit; qdisc cake_mq", direction="ingress")
    built = api.load(Source("test.tcc", text))
    state, _ = api.lower(built, "netlink", receiving(receive))
    item = state[Place("ifb-eth0", "link")]
    assert isinstance(item, LinkItem)
    assert item.tx_queues == queues


def receiving(queues: int) -> Facts:
    device = DeviceFacts(name="eth0", rx_queues=queues)
    return Facts(qdiscs=("cake", "cake_mq", "clsact"), devices=(device,))


@pytest.mark.parametrize(
    ("sysctls", "role", "severities"),
    [
        ({}, "role router", ["note"]),
        ({PRIORITY: "1"}, "role router", ["warning"]),
        ({PRIORITY: "0"}, "role host", ["warning"]),
        ({PRIORITY: "0"}, "role router", []),
    ],
)
def test_priority_trap_is_as_bad_as_the_facts_say(sysctls, role, severities):
    lowered = lower_one(link("tiers diffserv4; qdisc cake_mq", role), host(**sysctls))
    assert [str(item.severity) for item in lowered.found] == severities


def test_memory_is_for_each_queue():
    [note] = lower_one(link("tiers besteffort; memory 4MiB; qdisc cake_mq"), host(8)).found
    assert "8 times" in note.message
