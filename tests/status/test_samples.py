"""The fast way of reading counters: the same as the plain one, and never more than an error."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tcc.netlink import kinds, qdisc, samples
from tcc.netlink.attributes import attribute, encode
from tcc.netlink.handle import ROOT, Handle
from tcc.netlink.messages import RTM_NEWQDISC
from tcc.netlink.namespace import Namespace
from tcc.netlink.objects import STATS2, TCA, TcObject, tc_body
from tcc.netlink.transport import RouteSocket
from tcc.netlink.wire import DecodeError

TIN = {
    "THRESHOLD_RATE64": 10**12, "SENT_BYTES64": 2**40, "BACKLOG_BYTES": 7, "TARGET_US": 5000,
    "INTERVAL_US": 100_000, "SENT_PACKETS": 8, "DROPPED_PACKETS": 9, "ECN_MARKED_PACKETS": 10,
    "ACKS_DROPPED_PACKETS": 11, "PEAK_DELAY_US": 12, "AVG_DELAY_US": 13, "BASE_DELAY_US": 14,
    "WAY_INDIRECT_HITS": 15, "WAY_MISSES": 16, "WAY_COLLISIONS": 17, "SPARSE_FLOWS": 18,
    "BULK_FLOWS": 19, "UNRESPONSIVE_FLOWS": 20, "MAX_SKBLEN": 21, "FLOW_QUANTUM": 22,
}  # fmt: skip


def message(kind, tins=1, queue=3, *, counter64=False, without=()):
    """A listed qdisc as the kernel would write it."""
    options = kinds.encode_options("cake", [("BASE_RATE64", 125_000), ("DIFFSERV_MODE", 1)])
    row = [(name, value) for name, value in TIN.items() if name not in without]
    own = [("CAPACITY_ESTIMATE64", 77), ("MEMORY_USED", 88)]
    own.append(("TIN_STATS", [(number, row) for number in range(1, tins + 1)]))
    stats = [
        ("BASIC", {"bytes": 2**41, "packets": 5}),
        ("QUEUE", {"qlen": queue, "backlog": 4000, "drops": 6, "requeues": 1, "overlimits": 2}),
        ("APP", encode(kinds.CAKE_STATS, own)),
    ]
    if counter64:
        stats.append(("PKT64", 2**33))
    pairs = [("KIND", kind), ("OPTIONS", options), ("STATS2", stats)]
    return tc_body(4, Handle.of(1), ROOT, 2, encode(TCA, pairs))


def sample(data):
    return samples.sample(RTM_NEWQDISC, 0, data, 0, len(data))


def test_every_number_is_at_its_place():
    found = sample(message("cake", tins=3))
    assert found[:13] == (
        "cake", 4, 0x10000, 0xFFFFFFFF, 2**41, 5, 3, 4000, 6, 1, 2, 125_000, 1,
    )  # fmt: skip
    assert (found.own.capacity_estimate, found.own.memory_used) == (77, 88)
    assert found.own.memory_limit == 0  # not sent
    assert found.own.tins == (tuple(TIN.values()),) * 3


def test_a_counter_of_64_bits_wins_and_one_that_is_missing_is_0():
    found = sample(message("cake", counter64=True, without={"PEAK_DELAY_US"}))
    assert found.packets == 2**33
    assert found.own.tins[0].peak_delay_us == 0
    assert found.own.tins[0].avg_delay_us == 13


def test_shapes_of_one_length_are_not_mistaken_for_each_other():
    """`cake` and `cbke` have the same length, and so have the same tins with others left out."""
    for _ in range(3):
        assert sample(message("cake")).own.memory_used == 88
        assert sample(message("cbke")).own is None
        assert sample(message("cake", without={"BULK_FLOWS"})).own.tins[0].bulk_flows == 0
        assert sample(message("cake", without={"SPARSE_FLOWS"})).own.tins[0].sparse_flows == 0


@given(st.integers(0, 400), st.integers(0, 700), st.integers(0, 255))
@settings(max_examples=400)
def test_broken_messages_are_decode_errors_or_numbers(length, at, byte):
    data = bytearray(message("cake"))
    data[at % len(data)] = byte
    data = bytes(data[: len(data) - length % len(data)])
    try:
        found = sample(data)
    except DecodeError:
        return
    assert isinstance(found.bytes, int)


def test_a_tin_of_another_number_is_found():
    own = encode(kinds.CAKE_STATS, [("TIN_STATS", [(5, list(TIN.items()))])])
    data = tc_body(1, 0, ROOT, 0, attribute(1, b"cake\0") + encode(TCA, [
        ("STATS2", [("APP", own)])
    ]))  # fmt: skip
    assert sample(data).own.tins == (tuple(TIN.values()),)
    assert STATS2.by_name["APP"].number == 4


@pytest.mark.kernel
def test_the_fast_way_says_what_the_plain_one_does(netns):
    space = netns.new()
    for number in range(20):
        space.run("ip", "link", "add", f"a{number}", "type", "veth", "peer", "name", f"b{number}")
        words = f"tc qdisc replace dev a{number} root tbf rate {number + 1}mbit burst 9k limit 9k"
        space.run(*words.split())
    with RouteSocket(Namespace.named(space.name)) as route:
        plain = qdisc.dump(route)
        fast = samples.read(route)
    assert len(fast) == len(plain) > 20
    for one, other in zip(fast, plain, strict=True):
        assert (one.kind, one.ifindex, one.handle) == (other.kind, other.ifindex, other.handle)
        assert one[4:11] == other.counters[:7]
    rates = {one.rate for one in fast if one.kind == "tbf"}
    assert rates == {125_000 * (number + 1) for number in range(20)}


def test_it_needs_nothing_of_the_compiler():
    """Reading counters must not load pydantic, lark or click: a watcher does it for ever."""
    code = (
        "import sys, tcc.netlink.samples as s;"
        "print([name for name in ('pydantic', 'lark', 'click') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_kind_of_an_object_is_that_of_the_plain_way():
    data = message("cake")
    assert TcObject(RTM_NEWQDISC, 0, data, 0, len(data)).kind == sample(data).kind
