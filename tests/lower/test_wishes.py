"""Which devices a policy speaks of."""

from tcc import api
from tcc.facts import DeviceFacts, Facts
from tcc.lower import wishes
from tcc.source import Source

HOST = Facts(
    devices=tuple(DeviceFacts(name=name, mtu=mtu) for name, mtu in (
        ("lo", 65_536), ("eth0", 1500), ("wan1", 1492), ("wan2", 9000),
    ))
)  # fmt: skip


def resolve(text: str, facts: Facts | None):
    built = api.load(Source("test.tcc", text))
    assert built.policy is not None, built.found
    made, found = wishes(built.policy, facts, built.spans)
    pointed = [(item.code, text[item.span.start : item.span.end]) for item in found]
    return [(wish.link.name, wish.device.name, wish.direction) for wish in made], pointed, made


BOTH = "{ device DEVICE; egress { bandwidth 1mbit }; ingress { bandwidth 2mbit } }"


def test_one_wish_for_each_direction():
    named, found, made = resolve("link a " + BOTH.replace("DEVICE", '"eth0"'), None)
    assert named == [("a", "eth0", "egress"), ("a", "eth0", "ingress")]
    assert found == []
    assert [wish.path for wish in made] == [("links", 0, "egress"), ("links", 0, "ingress")]
    assert made[0].device == DeviceFacts(name="eth0")  # an ordinary one: nothing is known


def test_pattern_is_resolved_with_facts():
    named, found, made = resolve("link a " + BOTH.replace("DEVICE", 'matching "wan?"'), HOST)
    assert [name for _, name, _ in named] == ["wan1", "wan1", "wan2", "wan2"]
    assert found == []
    assert [wish.device.mtu for wish in made] == [1492, 1492, 9000, 9000]


def test_pattern_without_facts_is_said():
    text = "link a " + BOTH.replace("DEVICE", 'matching "wan*"')
    named, found, _ = resolve(text, None)
    assert (named, [code for code, _ in found]) == ([], ["device-pattern-unresolved"])


def test_pattern_that_matches_nothing():
    text = "link a " + BOTH.replace("DEVICE", 'matching "ppp*"')
    named, found, _ = resolve(text, HOST)
    assert (named, [code for code, _ in found]) == ([], ["device-pattern-empty"])


def test_missing_device():
    text = "link a " + BOTH.replace("DEVICE", '"wan3"')
    named, found, _ = resolve(text, HOST)
    assert (named, found) == ([], [("device-missing", '"wan3"')])


def test_two_links_for_one_device():
    text = (
        "link a " + BOTH.replace("DEVICE", '"wan1"')
        + '\nlink b { device matching "wan*"; egress { bandwidth 3mbit } }\n'
    )  # fmt: skip
    named, found, _ = resolve(text, HOST)
    assert named == [
        ("a", "wan1", "egress"), ("a", "wan1", "ingress"), ("b", "wan2", "egress"),
    ]  # fmt: skip
    assert [code for code, _ in found] == ["device-claimed-twice"]


def test_tiers_of_the_link_come_first():
    text = (
        'link a { device "eth0"; tier voice { match dscp ef }; egress { tiers diffserv4 } }\n'
        "tier bulk { match dscp cs1 }\n"
    )
    _, _, made = resolve(text, None)
    assert [tier.name for tier in made[0].tiers] == ["voice", "bulk"]
