"""Tiers: which need rules, which rules, and in which order; nft(8) itself reads every table."""

import shutil
import subprocess

import pytest

from tcc import api
from tcc.facts import DeviceFacts, Facts
from tcc.lower.ingress import tin_mode
from tcc.lower.kernel import lower_for_kernel
from tcc.lower.marks import goes_there, mark_of
from tcc.lower.nft import fingerprint, is_quotable, table_name
from tcc.plan.state import FilterItem, Place, RulesItem
from tcc.source import Source

MARKS, REDIRECT = Place("wan", "marks"), Place("wan", "redirect")


def lowered(tiers, egress="tiers diffserv4", ingress="tiers diffserv4", role="", facts=None):
    ends = "".join(
        f"{name} {{ bandwidth 9mbit; {body} }}\n"
        for name, body in (("egress", egress), ("ingress", ingress))
        if body is not None
    )
    text = f'link wan {{\ndevice "wan"\n{role}\n{ends}}}\n{tiers}\n'
    built = api.load(Source("test.tcc", text))
    assert built.policy, built.found
    wanted = lower_for_kernel(built.policy, facts, built.spans)
    errors = [
        (one.code, text[one.span.start : one.span.end])
        for one in wanted.found
        if one.severity.name == "ERROR"
    ]
    return wanted, errors


def rules(wanted, chain):
    """The rules of one chain, without their digests."""
    item = wanted.state.get(MARKS)
    if not isinstance(item, RulesItem):
        return []
    body = item.text.partition(f"\tchain {chain} {{\n")[2].partition("\t}\n")[0]
    return [
        line.strip().partition(" comment ")[0]
        for line in body.splitlines()
        if not line.strip().startswith("type ")
    ]


def test_a_tier_of_dscps_that_cake_has_there_needs_nothing():
    # sch_cake.c diffserv4: EF, CS5, VA and CS4 are Voice, CS1 and LE Bulk
    wanted, errors = lowered("tier voice { match dscp ef, cs5 }\ntier bulk { match dscp cs1, le }")
    assert not errors
    assert MARKS not in wanted.state
    assert wanted.state[REDIRECT].restores is None


def test_the_same_dscps_are_not_there_in_another_mode():
    # sch_cake.c diffserv3: CS5 is Best Effort
    wanted, _ = lowered("tier voice { match dscp ef, cs5 }", "tiers diffserv3", None)
    assert rules(wanted, "leaving") == [
        'oifname "wan" ip dscp { 46, 40 } goto to_dscp_46',
        'oifname "wan" ip6 dscp { 46, 40 } goto to_dscp_46',
    ]


def test_only_egress_needs_no_marks_of_connections():
    wanted, _ = lowered("tier voice { match udp remote port 3478..3481, 53 }", ingress=None)
    assert rules(wanted, "leaving") == [
        'oifname "wan" meta l4proto 17 th dport { 53, 3478-3481 } goto to_dscp_46'
    ]
    assert rules(wanted, "to_dscp_46") == ["ip dscp set 46", "ip6 dscp set 46"]
    assert "ct mark" not in wanted.state[MARKS].text


def test_both_directions_save_and_restore():
    wanted, _ = lowered("tier voice { match udp remote port 53 }")
    # tc-ctinfo(8): value in bits 0 to 5, and bit 7 says that it is there
    assert rules(wanted, "to_dscp_46_keep_46")[-1] == "ct mark set ct mark & 0xffffff40 | 0xae"
    assert rules(wanted, "arriving") == [
        "ct mark & 0x80 == 0x80 return",
        "meta l4proto 17 th sport 53 goto to_keep_46",
    ]
    assert wanted.state[REDIRECT] == FilterItem(
        "matchall", (0x3F, 0x80), "ifb-wan", path=("links", 0, "ingress")
    )


def test_a_link_may_name_the_bits_of_the_mark():
    # tc-ctinfo(8): 0x3f00 is six bits from bit 8 on; 46 << 8 is 0x2e00, and 0x4000 says it is there
    wanted, errors = lowered(
        "tier voice { match udp remote port 53 }",
        role="connection-mark dscp 0x3f00 valid 0x4000",
    )
    assert not errors
    assert rules(wanted, "to_dscp_46_keep_46")[-1] == "ct mark set ct mark & 0xffff80ff | 0x6e00"
    assert rules(wanted, "arriving")[0] == "ct mark & 0x4000 == 0x4000 return"
    assert wanted.state[REDIRECT].restores == (0x3F00, 0x4000)


def test_only_ingress_marks_connections_and_leaves_packets_alone():
    wanted, _ = lowered("tier voice { match udp remote port 53 }", egress=None)
    assert rules(wanted, "leaving") == ['oifname "wan" meta l4proto 17 th dport 53 goto to_keep_46']
    assert "dscp set" not in wanted.state[MARKS].text


def test_each_direction_has_the_dscp_of_its_own_mode():
    # precedence: the tin is DSCP >> 3, so tin7 is CS7; diffserv8: Tin 7 has CS6 and CS7
    wanted, errors = lowered(
        "tier games as tin7 { match udp port 1 }", "tiers precedence", "tiers diffserv8"
    )
    assert not errors
    assert rules(wanted, "to_dscp_56_keep_48")


def test_a_tier_in_front_keeps_what_it_takes_from_the_next():
    """Without its rule, EF packets of that port would go to Bulk; at the end it alters nothing."""
    tiers = ["tier voice { match dscp ef }", "tier bulk { match tcp remote port 873 }"]
    first = rules(lowered("\n".join(tiers), ingress=None)[0], "leaving")
    last = rules(lowered("\n".join(reversed(tiers)), ingress=None)[0], "leaving")
    assert [line.split()[-1] for line in first] == ["to_dscp_46", "to_dscp_46", "to_dscp_8"]
    assert [line.split()[-1] for line in last] == ["to_dscp_8"]


@pytest.mark.parametrize(
    ("role", "sent", "came"),
    [
        ("", "saddr", "daddr"),
        ("role host", "saddr", "daddr"),
        ("role router", "saddr", "daddr"),
        ("role router facing hosts", "daddr", "saddr"),
    ],
)
def test_local_is_the_side_of_the_hosts(role, sent, came):
    wanted, _ = lowered("tier bulk { match local subnet 10.0.9.0/24 }", role=role)
    assert rules(wanted, "leaving") == [
        f'oifname "wan" ip {sent} 10.0.9.0/24 goto to_dscp_8_keep_8'
    ]
    assert rules(wanted, "arriving")[1:] == [f"ip {came} 10.0.9.0/24 goto to_keep_8"]


@pytest.mark.parametrize(
    ("match", "conditions"),
    [
        ("protocol icmp, icmpv6, 99", ["meta l4proto { 1, 58, 99 }"]),
        ("mark 0x10/0xf0, 7",
         ["meta mark & 0xf0 == 0x10", "meta mark & 0xffffffff == 0x7"]),
        ('device "br-guest"', ['iifname "br-guest"']),
        ("tcp port 80", ["meta l4proto 6 th sport 80", "meta l4proto 6 th dport 80"]),
        ("tcp remote port 80..90, 85..95, 96", ["meta l4proto 6 th dport 80-96"]),
        ("remote address 192.0.2.1, 2001:db8::1",
         ["ip daddr 192.0.2.1", "ip6 daddr 2001:db8::1"]),
        ("remote subnet 10.0.0.0/8, 10.1.0.0/16", ["ip daddr 10.0.0.0/8"]),
        # no packet has an IPv4 source and an IPv6 destination
        ("local address 192.0.2.1 remote address 2001:db8::1", []),
        ("dscp af11 remote address 2001:db8::1", ["ip6 dscp 10 ip6 daddr 2001:db8::1"]),
    ],
)  # fmt: skip
def test_conditions(match, conditions):
    wanted, errors = lowered(f"tier voice {{ match {match} }}", ingress=None)
    assert not errors
    assert rules(wanted, "leaving") == [
        f'oifname "wan" {words} goto to_dscp_46' for words in conditions
    ]


ALL = """
tier voice { match dscp ef, cs5, 3; match udp remote port 3478..3481, 5060; match mark 0x10/0xf0
    match local address 192.0.2.1, 2001:db8::1 }
tier video { match remote subnet 10.0.0.0/8, 10.1.0.0/16, 2001:db8::/32 protocol tcp
    match device "br-guest", "x" udp port 53; match dscp af4x remote address 2001:db8::5 }
tier bulk { match tcp remote port 6881..6999; match protocol icmp, icmpv6, sctp; match dscp cs1 }
"""


def test_nft_takes_a_table_of_everything_and_shows_the_same_rules(netns):
    nft = shutil.which("nft")
    assert nft, "nft is not installed: apt-get install nftables"
    space = netns.new()
    text = lowered(ALL)[0].state[MARKS].text
    subprocess.run(["ip", "netns", "exec", space.name, nft, "-f", "-"], input=text, text=True,
                   check=True)  # fmt: skip
    shown = space.run(nft, "list", "table", "inet", "tcc-wan").stdout
    assert shown != text
    assert fingerprint(shown) == fingerprint(text)
    space.run(nft, "add", "rule", "inet", "tcc-wan", "leaving", "counter")
    assert fingerprint(space.run(nft, "list", "table", "inet", "tcc-wan").stdout) != (
        fingerprint(text)
    )


@pytest.mark.parametrize(
    ("known", "role", "said"),
    [
        ({"nft": False}, "", "nft(8)"),
        ({"filters": ("u32",), "actions": ("mirred",)}, "", "ctinfo"),
        ({}, "role bridge", "bridge"),
    ],
)
def test_what_is_missing_is_an_error_at_the_tier(known, role, said):
    facts = Facts(devices=(DeviceFacts(name="wan"),), **known)
    tiers = "tier voice { match dscp ef }\ntier bulk { match udp port 53 }"
    wanted, errors = lowered(tiers, role=role, facts=facts)
    assert errors == [("tier-unavailable", "bulk")]
    assert any(said in one.message for one in wanted.found)
    assert MARKS not in wanted.state


@pytest.mark.parametrize("kind", ["bridge", "bond", "vrf"])
def test_rules_for_a_port_of_a_bridge_or_bond_would_never_hold(kind):
    """A router sends by `br0`; nothing ever has the port for its oifname there."""
    devices = (DeviceFacts(name="wan", master="up0"), DeviceFacts(name="up0", kind=kind))
    wanted, errors = lowered("tier bulk { match udp port 53 }", facts=Facts(devices=devices))
    assert errors == ([] if kind == "vrf" else [("tier-unavailable", "bulk")])
    if errors:
        assert any(f"those of the {kind} up0" in one.message for one in wanted.found)


def test_a_kernel_without_ctinfo_still_marks_what_leaves():
    facts = Facts(devices=(DeviceFacts(name="wan"),), filters=("u32",), actions=("mirred",))
    wanted, errors = lowered("tier bulk { match udp port 53 }", ingress=None, facts=facts)
    assert not errors
    assert rules(wanted, "leaving")


def test_a_cake_inside_a_tbf_has_tins():
    policy = "tier voice { match udp port 53 }"
    wanted, errors = lowered(policy, "qdisc tbf { inner cake { diffserv4 } }", None)
    assert not errors
    assert rules(wanted, "leaving")


def test_names_that_nft_cannot_write():
    assert not is_quotable('a"b')
    assert not is_quotable("wan*")  # nft takes it for a pattern
    assert is_quotable("enp3s0.7")
    assert table_name("a$b") != table_name("a%b")


def test_two_links_with_a_direction_each():
    text = """
    link up { device "wan"; egress { bandwidth 9mbit; tiers diffserv4 } }
    link down { device "wan"; ingress { bandwidth 9mbit; tiers diffserv4 } }
    tier bulk { match udp port 53 }
    """
    built = api.load(Source("test.tcc", text))
    wanted = lower_for_kernel(built.policy, None, built.spans)
    assert "tier-unavailable" in [one.code for one in wanted.found]


@pytest.mark.parametrize("mode", ["diffserv3", "diffserv4", "diffserv8", "precedence"])
@pytest.mark.parametrize("tin", ["bulk", "besteffort", "voice"])
def test_a_tins_own_mark_goes_there(tin, mode):
    assert goes_there(mark_of(tin, mode), tin, mode)


@pytest.mark.parametrize(
    ("tin", "mode", "dscp"),
    [
        ("tin0", "diffserv4", 8),  # tc shows Bulk first
        ("tin1", "diffserv4", 0),
        ("tin2", "diffserv4", 34),
        ("tin2", "diffserv3", 46),
        ("tin5", "precedence", 40),
        ("tin2", "diffserv8", 0),  # sch_cake.c: what has no other tin is in Tin 2
    ],
)
def test_tins_by_number_are_those_that_tc_shows(tin, mode, dscp):
    assert mark_of(tin, mode) == dscp


def test_every_tier_is_explained_in_each_direction():
    wanted, _ = lowered("tier voice { match dscp ef }\ntier bulk { match udp port 53 }")
    told = {
        (one.wish.direction, said.clause): said.became
        for one in wanted.lowered
        for said in one.explained
        if said.clause.startswith("tier ")
    }
    assert told == {
        ("egress", "tier voice"): "no rule",
        ("egress", "tier bulk"): "DSCP cs1 by nftables",
        ("ingress", "tier voice"): "no rule",
        ("ingress", "tier bulk"): "DSCP cs1 by ctinfo",
    }
    assert {tin_mode(one) for one in wanted.lowered} == {"diffserv4"}
