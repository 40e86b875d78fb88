"""`tcc explain packet` beside the real kernel: the flows of guest_tiers.py, and their tins."""

import ast
import json
from pathlib import Path

import pytest

from tests.apply.test_tiers import GUEST, TIN

NAMES = {"udp": "--udp", "tcp": "--tcp"}


def constant(name):
    """A constant of the guest script, which cannot be imported: it would run."""
    tree = ast.parse(GUEST.read_text())
    [value] = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name
    ]
    return ast.literal_eval(value)


FLOWS, POLICY = constant("FLOWS"), constant("POLICY")


@pytest.fixture
def policy(tmp_path):
    path = tmp_path / "home.tcc"
    path.write_text(POLICY)
    return str(path)


def landed(done):
    assert done.code == 0, done.err
    return {one["direction"]: one for one in json.loads(done.out)["landings"]}


@pytest.mark.parametrize("direction", ["egress", "ingress"])
@pytest.mark.parametrize("flow", TIN)
def test_it_says_what_the_kernel_does(tcc, policy, flow, direction):
    kind, source, to, port, tos = FLOWS[flow]
    found = landed(tcc(
        "explain", "packet", "--from", source, "--to", to, NAMES[kind], str(port),
        "--dscp", str(tos >> 2), "--json", policy,
    ))  # fmt: skip
    assert found[direction]["tin"] == TIN[flow]


def test_the_words_say_why(tcc, policy):
    done = tcc("explain", "packet", "--to", "203.0.113.9", "--udp", "3478", policy)
    assert done.out == (
        "wan egress (wan0, cake): tier voice, tin voice, as DSCP EF\n"
        "  tier voice: udp remote port 3478..3481\n"
        "  nftables set DSCP EF before the qdisc\n"
        "wan ingress (wan0, cake): tier voice, tin voice, as DSCP EF\n"
        "  tier voice: udp remote port 3478..3481\n"
        "  ctinfo restores DSCP EF from the connection's mark, where the rules have noted it\n"
        "  the first packet of a connection that begins outside is not known yet: DSCP CS0\n"
    )


def test_what_is_not_given_is_said(tcc, policy):
    done = tcc("explain", "packet", "--to", "203.0.113.9", "--tcp", "443", policy)
    assert "tier video comes first if its local address fits, which is not given" in done.out
    assert "no tier matches" in done.out
    assert "tin besteffort" in done.out


MARKS = """
link wan { device "e"; egress { bandwidth 9mbit; tiers diffserv4; mark mask 0xf0; qdisc cake } }
"""
QUEUES = 'link wan { device "e"; egress { bandwidth 2gbit; tiers diffserv4; qdisc cake_mq } }\n'
NO_SKBEDIT = (
    '{"devices": [{"name": "e", "tx_queues": 4}], "qdiscs": ["cake", "cake_mq", "clsact"],'
    ' "filters": ["matchall"], "actions": ["mirred"]}'
)


@pytest.mark.parametrize(
    ("mark", "tin"),
    [("0x10", "bulk"), ("0x20", "besteffort"), ("0x40", "voice"), ("0x50", "video")],
)
def test_a_mark_comes_before_the_dscp(tcc, here, mark, tin):
    """order[mark - 1] of four tins; out of range falls through to AF41, which is Video."""
    Path("m.tcc").write_text(MARKS)
    found = landed(tcc("explain", "packet", "--mark", mark, "--dscp", "af41", "--json", "m.tcc"))
    assert found["egress"]["tin"] == tin


@pytest.mark.parametrize(
    ("address", "dscp", "tin"),
    [  # as measured on cake_mq: AF41 ends up in Best Effort and AF13 in Voice; IPv6 is unaffected
        ("203.0.113.9", "af41", "besteffort"),
        ("203.0.113.9", "af13", "voice"),
        ("2001:db8::9", "af41", "video"),
    ],
)
def test_the_priority_trap_of_cake_mq_is_known(tcc, here, address, dscp, tin):
    Path("q.tcc").write_text(QUEUES)
    Path("f.json").write_text(NO_SKBEDIT)
    words = ["explain", "packet", "--to", address, "--dscp", dscp, "--json", "q.tcc"]
    assert landed(tcc(*words, "--facts", "f.json"))["egress"]["tin"] == tin
    closed = landed(tcc(*words))["egress"]["tin"]  # our filter clears the priority
    assert closed == {"af41": "video", "af13": "besteffort"}[dscp]


@pytest.mark.parametrize(
    "words",
    [
        ("--to", "nowhere"), ("--udp", "99999"), ("--udp", "1", "--tcp", "1"), ("--dscp", "xy"),
        ("--mark", "-1"), ("--protocol", "nonsense"), ("--link", "lan"),
    ],
)  # fmt: skip
def test_what_is_no_packet_is_wrong_usage(tcc, policy, words):
    done = tcc("explain", "packet", *words, policy)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_one_word_at_a_time(tcc):
    assert tcc("explain", "bandwidth", "rtt").code == 2
    assert "which tier and tin" in tcc("explain", "packet", "--help").out
