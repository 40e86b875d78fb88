"""`cake_mq`: CAKE's settings, and what several queues change."""

import pytest

from tcc.facts import DeviceFacts, Facts
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


def test_not_for_what_comes_in():
    _, found = lower_text(link("tiers besteffort; qdisc cake_mq", direction="ingress"))
    assert found == [("cake-mq-ingress", "cake_mq")]


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
