"""Ingress on this machine's kernel: shaped, healed, put back; no packet is ever led nowhere."""

import pytest

from tcc.apply.transaction import Outcome
from tests.apply.faults import Counting, Refusing, transport
from tests.apply.ingress_world import POLICY, World, codes

ONE = POLICY.format("wan")
REQUESTS = 7
"""Of a first apply: a root and its queue on each of two devices, the ifb, the hook, the filter."""


@pytest.fixture
def world(netns, tmp_path):
    return World(netns, tmp_path / "state")


def test_everything_that_comes_in_passes_the_ifb_of_either_version(world):
    before = world.shown()
    assert world.apply(ONE).outcome is Outcome.DONE
    for version in (4, 6):
        sent = world.sent("ifb-wan")
        assert world.reached(version=version)
        assert world.sent("ifb-wan") > sent
    redirect = world.here.run("tc", "-s", "filter", "show", "dev", "wan", "ingress").stdout
    assert "protocol all pref 49" in redirect
    assert "Redirect to device ifb-wan" in redirect
    assert "Sent 0 bytes" not in redirect
    assert world.roll_back().outcome is Outcome.DONE
    assert world.shown() == before


def test_a_second_apply_sends_nothing(world):
    world.apply(ONE)
    before = world.shown()
    Counting.sent = 0
    with transport(Counting):
        assert world.apply(ONE).outcome is Outcome.UNCHANGED
    assert Counting.sent == 0
    assert world.shown() == before


def test_whatever_is_refused_everything_is_put_back(world):
    before = world.shown()
    for at in range(REQUESTS):
        Refusing.at, Refusing.seen = at, 0
        with transport(Refusing):
            report = world.apply(ONE)
        assert report.outcome is Outcome.RESTORED, at
        assert codes(report) == ["kernel-refused"]
        assert world.shown() == before, at
    Refusing.at, Refusing.seen = REQUESTS, 0
    with transport(Refusing):
        assert world.apply(ONE).outcome is Outcome.DONE


def test_killed_at_any_moment_packets_still_come_in(world):
    before = world.shown()
    for at in range(REQUESTS):
        assert world.killed(ONE, at)
        assert world.reached(), at
        assert world.roll_back().outcome is Outcome.DONE
        assert world.shown() == before, at
        assert world.reached(), at
    assert not world.killed(ONE, REQUESTS)


BROKEN = {
    "the ifb is gone": ["ip link delete ifb-wan"],
    "another one has its name": ["ip link delete ifb-wan", "ip link add ifb-wan type ifb"],
    "it is down": ["ip link set ifb-wan down"],
    "the filter is gone": ["tc filter delete dev wan ingress pref 49"],
    "the hook is gone": ["tc qdisc delete dev wan clsact"],
    "it leads elsewhere": [
        "ip link add other type ifb",
        "ip link set other up",
        "tc filter delete dev wan ingress pref 49",
        "tc filter add dev wan ingress pref 49 protocol all u32 match u32 0 0 "
        "action mirred egress redirect dev other",
    ],
}


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_broken_is_seen_and_healed(world, what):
    world.apply(ONE)
    for words in BROKEN[what]:
        world.here.run(*words.split())
    plan, obstacles = world.plan(ONE)
    assert plan
    assert not obstacles
    assert world.apply(ONE).outcome is Outcome.DONE
    sent = world.sent("ifb-wan")
    assert world.reached()
    assert world.sent("ifb-wan") > sent
    assert world.apply(ONE).outcome is Outcome.UNCHANGED


def test_a_filter_that_led_nowhere_does_not_come_back(world):
    world.apply(ONE)
    world.ip("link delete ifb-wan")
    assert not world.reached()
    world.apply(ONE)
    assert world.roll_back().outcome is Outcome.DONE
    assert world.reached()
    assert "pref 49" not in world.here.run("tc", "filter", "show", "dev", "wan", "ingress").stdout


OTHER = "u32 match ip dport 9 0xffff flowid 1:1"


def test_filters_of_others_stay(world):
    world.tc("qdisc add dev wan clsact")
    world.tc(f"filter add dev wan ingress pref 7 protocol ip {OTHER}")
    world.tc(f"filter add dev wan egress pref 7 protocol ip {OTHER}")
    before = world.shown()
    assert world.apply(ONE).outcome is Outcome.DONE
    after = world.here.run("tc", "filter", "show", "dev", "wan", "ingress").stdout
    assert "pref 7 u32" in after
    assert world.reached()
    assert world.apply(ONE).outcome is Outcome.UNCHANGED
    assert world.roll_back().outcome is Outcome.DONE
    assert world.shown() == before


def test_a_hook_that_others_came_to_use_stays(world):
    world.apply(ONE)
    world.tc(f"filter add dev wan ingress pref 7 protocol ip {OTHER}")
    assert world.roll_back().outcome is Outcome.DONE
    after = world.here.run("tc", "filter", "show", "dev", "wan", "ingress").stdout
    assert "pref 7 u32" in after
    assert "pref 49" not in after
    assert world.reached()


def test_a_filter_of_others_in_our_place_is_refused(world):
    world.tc("qdisc add dev wan clsact")
    world.tc(
        "filter add dev wan ingress pref 49 protocol ip u32 match ip dport 9 0xffff flowid 1:1"
    )
    before = world.shown()
    report = world.apply(ONE)
    assert report.outcome is Outcome.REFUSED
    assert codes(report) == ["ingress-taken"]
    assert "pref 49" in report.found[0].hints[0]
    assert world.shown() == before


def test_a_block_that_others_may_share_is_refused(world):
    world.tc("qdisc add dev wan ingress_block 7 clsact")
    report = world.apply(ONE)
    assert codes(report) == ["ingress-taken"]
    assert "shared" in report.found[0].message


def test_a_device_of_another_kind_with_the_name_is_refused(world):
    world.ip("link add ifb-wan type bridge")
    before = world.shown()
    report = world.apply(ONE)
    assert report.outcome is Outcome.REFUSED
    assert "ifb-name-taken" in codes(report)
    assert world.shown() == before


def test_the_older_hook_is_used_where_it_is(world):
    world.tc("qdisc add dev wan ingress")
    before = world.shown()
    assert world.apply(ONE).outcome is Outcome.DONE
    assert world.reached()
    assert world.apply(ONE).outcome is Outcome.UNCHANGED
    assert world.roll_back().outcome is Outcome.DONE
    assert world.shown() == before


def test_an_ifb_that_was_there_is_put_back_as_it_was(world):
    world.ip("link add ifb-wan type ifb")
    world.tc("qdisc add dev ifb-wan root handle 7: pfifo limit 77")
    before = world.shown()
    assert world.apply(ONE).outcome is Outcome.DONE
    assert world.reached()
    assert world.roll_back().outcome is Outcome.DONE
    assert world.shown() == before


def test_ingress_alone_leaves_the_root_alone(world):
    world.tc("qdisc add dev wan root handle 9: htb default 1")  # could not be put back, if touched
    policy = 'link w { device "wan"; ingress { bandwidth 9mbit; qdisc tbf { inner bfifo } } }'
    assert world.apply(policy).outcome is Outcome.DONE
    assert world.reached()
    assert world.roll_back().outcome is Outcome.DONE
    (root,) = world.here.json("tc", "-j", "qdisc", "show", "dev", "wan")
    assert (root["kind"], root["handle"]) == ("htb", "9:")
    assert root["options"]["direct_packets_stat"] > 0  # the very one: it has counted on


def test_two_links_have_one_each(netns, tmp_path):
    world = World(netns, tmp_path / "state", ("enxa0cec812eb2b", "enxa0cec812eb2c"))
    before = world.shown()
    one, other = (POLICY.format(f"enxa0cec812eb2{end}") for end in "bc")
    assert world.apply(one + other.replace("link wan", "link lan")).outcome is Outcome.DONE
    made = [link["ifname"] for link in world.here.json("ip", "-j", "link", "show", "type", "ifb")]
    assert len(set(made)) == 2
    for number in (0, 1):
        sent = [world.sent(name) for name in made]
        assert world.reached(number)
        grown = [world.sent(name) > old for name, old in zip(made, sent, strict=True)]
        assert grown.count(True) == 1
    assert world.roll_back().outcome is Outcome.DONE
    assert world.shown() == before
