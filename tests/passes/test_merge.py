"""What a link says, what its profile says, and what holds for one direction only."""

from tcc.ir import Bandwidth, Shaping

MBIT = 10**6


def link(build, text):
    return build(text).policy.links[0]


def test_a_clause_in_the_link_holds_for_both_directions(build):
    wan = link(build, 'link wan { device "a"; rtt 20ms; egress { }; ingress { } }')
    assert wan.egress == wan.ingress == Shaping(rtt=20_000_000)


def test_a_clause_in_a_direction_overrides_it(build):
    wan = link(build, 'link wan { device "a"; rtt 20ms; egress { rtt 30ms }; ingress { } }')
    assert (wan.egress.rtt, wan.ingress.rtt) == (30_000_000, 20_000_000)


def test_a_direction_without_block_bandwidth_or_qdisc_is_not_there(build):
    wan = link(build, 'link wan { device "a"; rtt 20ms; egress { } }')
    assert wan.egress is not None
    assert wan.ingress is None
    assert link(build, 'link wan { device "a"; tiers diffserv4 }').egress is None


def test_bandwidth_or_qdisc_for_both_makes_both(build):
    wan = link(build, 'link wan { device "a"; bandwidth 5mbit }')
    assert wan.egress == wan.ingress == Shaping(bandwidth=Bandwidth(rate=5 * MBIT))
    wan = link(build, 'link wan { device "a"; qdisc cake }')
    assert wan.egress.qdisc.kind == wan.ingress.qdisc.kind == "cake"
    wan = link(build, 'profile p { bandwidth 5mbit }\nlink wan : p { device "a" }')
    assert wan.ingress.bandwidth.rate == 5 * MBIT


def test_from_weak_to_strong(build):
    """Profile for both, profile for one, link for both, link for one."""
    text = "profile p { rtt 1ms; egress { rtt 2ms }; memory 1KB; tiers diffserv3 }\n"
    wan = link(
        build,
        text + 'link wan : p { device "a"; memory 2KB; egress { memory 3KB }; ingress { } }',
    )
    assert (wan.egress.rtt, wan.ingress.rtt) == (2_000_000, 1_000_000)
    assert (wan.egress.memory, wan.ingress.memory) == (3000, 2000)
    assert wan.egress.tiers == wan.ingress.tiers == "diffserv3"
    wan = link(build, text + 'link wan : p { device "a"; rtt 9ms }')
    assert wan.egress.rtt == 9_000_000  # a link's clause overrides its profile's
    assert wan.ingress is None


def test_everything_of_a_link_can_come_from_its_profile(build):
    built = build(
        'profile p { device matching "wan*"; framing ethernet; role bridge facing hosts\n'
        "tier voice { match dscp ef }; tier bulk { match dscp cs1 } }\n"
        "link a : p { tier voice { match dscp cs5 } }\nlink b : p { framing docsis }\n"
    )
    a, b = built.policy.links
    assert (a.device.matching, a.framing.preset, b.framing.preset) == ("wan*", "ethernet", "docsis")
    assert a.role.kind == "bridge"
    assert a.role.facing_hosts
    assert [(tier.name, tier.matches[0].dscp) for tier in a.tiers] == [
        ("voice", (40,)),
        ("bulk", (8,)),
    ]
    assert [(tier.name, tier.matches[0].dscp) for tier in b.tiers] == [
        ("voice", (46,)),
        ("bulk", (8,)),
    ]


def test_prefer_goes_with_the_clause_that_wins(build):
    wan = link(
        build,
        "profile p { prefer gso keep; prefer rtt 1ms }\n"
        'link wan : p { device "a"; gso split; prefer mark mask 1; egress { } }',
    )
    assert set(wan.egress.prefer) == {"rtt", "mark_mask"}


def test_places_of_what_a_profile_says_are_in_the_profile(build):
    text = 'profile p { rtt 1ms }\nlink wan : p { device "a"; egress { } }'
    built = build(text)
    span = built.spans["links", 0, "egress", "rtt"]
    assert (span.start, text[span.start : span.end]) == (text.index("1ms"), "1ms")


def test_a_mistake_in_a_profile_is_said_once(errors):
    links = "".join(f'link l{number} : p {{ device "a{number}" }}\n' for number in range(5))
    assert errors("profile p { tiers diffserv5 }\n" + links) == [("unknown-value", "diffserv5")]


def test_an_unused_profile_is_checked_as_well(errors):
    assert errors("profile p { tiers diffserv5 }\n") == [("unknown-value", "diffserv5")]
