"""Real sockets, real namespaces, the kernel of this machine: requests, batches, dumps, events."""

import errno
import gc
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tcc.netlink import actions, events, filters, kinds, links, qdisc, readings
from tcc.netlink.attributes import attribute
from tcc.netlink.handle import (
    CLSACT_EGRESS,
    CLSACT_INGRESS,
    INGRESS,
    INGRESS_HANDLE,
    ROOT,
    UNSPECIFIED,
    Handle,
)
from tcc.netlink.messages import IFINFOMSG, RTM_GETLINK, KernelRefusal, Message, Reply
from tcc.netlink.namespace import NAMED, Namespace
from tcc.netlink.qdisc import QdiscMessage
from tcc.netlink.transport import LOST_TEXT, RouteSocket
from tcc.netlink.wire import EncodeError

pytestmark = pytest.mark.kernel

MISSING = "tcc-no-such-namespace"
TBF = [
    ("PARMS", {"rate_linklayer": 1, "rate_rate": 6_250_000, "limit": 328_884, "buffer": 40_953}),
    ("BURST", 16_384),
]


@pytest.fixture
def space(netns):
    return netns.new()


@pytest.fixture
def route(space):
    with RouteSocket(Namespace.named(space.name)) as opened:
        yield opened


@pytest.fixture
def device(route):
    route.request(links.create_veth("v0", "v1", tx_queues=4, rx_queues=4))
    route.request(links.create_ifb("ifb0", tx_queues=2))
    return links.by_name(route, "v0")


def root(ifindex: int, kind: str, value, handle: str = "1:") -> QdiscMessage:
    options = kinds.encode_options(kind, value)
    return QdiscMessage(ifindex, Handle.parse(handle), ROOT, kind, options)


# --- namespaces


def test_a_missing_namespace_is_reported_and_not_made():
    with pytest.raises(FileNotFoundError) as caught:
        RouteSocket(Namespace.named(MISSING))
    assert caught.value.filename == str(NAMED / MISSING)
    assert not (NAMED / MISSING).exists()


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\0b"])
def test_what_is_no_name_of_a_namespace(name):
    with pytest.raises(ValueError, match="no name of a network namespace"):
        Namespace.named(name)


def test_a_file_that_is_no_network_namespace(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    for path in (plain, Path("/proc/self/ns/mnt")):
        with pytest.raises(OSError, match="Invalid argument") as caught:
            RouteSocket(Namespace(path))
        assert caught.value.errno == errno.EINVAL
        assert caught.value.filename == str(path)


def test_the_process_stays_where_it_is(route):
    here = os.readlink("/proc/self/ns/net")
    assert [link.name for link in links.dump(route)] == ["lo"]
    assert os.readlink("/proc/thread-self/ns/net") == here
    assert threading.active_count() == 1
    end = time.monotonic() + 5  # a thread that has ended is listed a moment longer
    while len(tasks := os.listdir("/proc/self/task")) > 1 and time.monotonic() < end:
        time.sleep(0.01)
    assert tasks == [str(os.getpid())]


def test_by_process_and_by_path(space, route, device):
    sleeper = subprocess.Popen(["ip", "netns", "exec", space.name, "sleep", "60"])
    try:
        while os.readlink(f"/proc/{sleeper.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            pass
        for where in (Namespace.of_process(sleeper.pid), Namespace(NAMED / space.name)):
            with RouteSocket(where) as other:
                assert links.by_name(other, "v0").ifindex == device.ifindex
    finally:
        sleeper.kill()
        sleeper.wait()


def test_sockets_are_given_back(space):
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        with RouteSocket(Namespace.named(space.name)):
            pass
        with pytest.raises(FileNotFoundError):
            RouteSocket(Namespace.named(MISSING))
    assert len(os.listdir("/proc/self/fd")) == before


WITHOUT_PRIVILEGE = """
import os, sys
from tcc.netlink import links, qdisc
from tcc.netlink.namespace import Namespace
from tcc.netlink.transport import RouteSocket
os.setgid(65534); os.setuid(65534)
with RouteSocket() as route:
    loopback = links.by_name(route, "lo")
    [ack] = route.batch([links.set_mtu(loopback.ifindex, loopback.mtu)])
    print(ack.errno, len(qdisc.dump(route)) >= 0)
try:
    RouteSocket(Namespace.named(sys.argv[1]))
except PermissionError as problem:
    print(problem.filename)
"""


def test_without_privilege_reading_works_and_writing_is_an_ordinary_refusal(space):
    done = space.run(sys.executable, "-c", WITHOUT_PRIVILEGE, space.name)
    assert done.stdout.split() == [str(errno.EPERM), "True", str(NAMED / space.name)]


# --- requests and batches


def test_the_kernels_own_sentence(route, device):
    with pytest.raises(KernelRefusal, match="Specified qdisc kind is unknown") as caught:
        route.request(qdisc.add(QdiscMessage(device.ifindex, Handle.of(1), ROOT, "nosuch", b"")))
    assert caught.value.errno == errno.ENOENT
    assert caught.value.ack.text == "Specified qdisc kind is unknown"


def test_the_kernel_says_which_attribute(route, device):
    good = qdisc.add(QdiscMessage(device.ifindex, Handle.of(1), ROOT, "bfifo"))
    short = good._replace(body=good.body + attribute(13, b"12"))  # INGRESS_BLOCK of two bytes
    with pytest.raises(KernelRefusal, match="Attribute failed policy validation") as caught:
        route.request(short)
    assert caught.value.ack.offset == 16 + len(good.body)
    assert caught.value.errno == errno.ERANGE


def test_one_bad_message_in_the_middle(route, device):
    handles = ("1:", "2:", "3:")
    good = [qdisc.replace(root(device.ifindex, "tbf", TBF, handle)) for handle in handles]
    bad = qdisc.replace(QdiscMessage(device.ifindex, Handle.of(4), ROOT, "nosuch", b""))
    acks = route.batch([good[0], bad, good[1], good[2]])
    assert [ack.request for ack in acks] == [0, 1, 2, 3]
    assert [ack.errno for ack in acks] == [0, errno.ENOENT, 0, 0]
    assert acks[1].text == "Specified qdisc kind is unknown"
    assert qdisc.get(route, device.ifindex, ROOT).handle == Handle.of(3)


def test_stop_on_error_sends_nothing_more(route, device):
    good = [qdisc.replace(root(device.ifindex, "tbf", TBF, handle)) for handle in ("1:", "2:")]
    bad = qdisc.replace(QdiscMessage(device.ifindex, Handle.of(4), ROOT, "nosuch", b""))
    acks = route.batch([good[0], bad, good[1]], stop_on_error=True)
    assert [ack.errno for ack in acks] == [0, errno.ENOENT]
    assert qdisc.get(route, device.ifindex, ROOT).handle == Handle.of(1)


@pytest.mark.parametrize("window", [1, 7, 200, 5000])
def test_windows_of_any_size_answer_in_order(route, device, window):
    bad = QdiscMessage(device.ifindex, Handle.of(9), ROOT, "nosuch", b"")
    sent = [
        qdisc.replace(bad if n % 10 == 3 else root(device.ifindex, "bfifo", {"limit": 1000 + n}))
        for n in range(450)
    ]
    acks = route.batch(sent, window)
    assert [ack.request for ack in acks] == list(range(450))
    assert [n for n, ack in enumerate(acks) if not ack.ok] == list(range(3, 450, 10))
    shown = kinds.decode_options("bfifo", qdisc.get(route, device.ifindex, ROOT).options)
    assert shown == {"limit": 1449}


def test_an_empty_batch(route):
    assert route.batch([]) == []


def test_large_messages_are_sent_in_parts(route, device):
    table = [("RTAB", [0] * 256)] * 40  # 41 kB each: one fits in a send, two do not
    message = qdisc.replace(root(device.ifindex, "tbf", TBF + table))
    assert [ack.ok for ack in route.batch([message] * 12)] == [True] * 12


def test_answers_that_were_lost_are_reported(space, device):
    with RouteSocket(Namespace.named(space.name), receive_buffer=1) as small:
        message = qdisc.replace(root(device.ifindex, "bfifo", {"limit": 1000}))
        acks = small.batch([message] * 600, window=150)
        lost = [ack for ack in acks if not ack.ok]
        assert len(acks) == 600
        assert lost
        assert {(ack.errno, ack.text) for ack in lost} == {(errno.ENOBUFS, LOST_TEXT)}
        assert acks[-1].ok  # smaller windows leave room for the answers
        assert small.request(message).ok
        assert len(qdisc.dump(small)) > 0


def test_a_device_that_vanished(route, device):
    message = qdisc.replace(root(device.ifindex, "tbf", TBF))
    acks = route.batch([message, links.delete(device.ifindex), message])
    assert [ack.errno for ack in acks] == [0, 0, errno.ENODEV]
    assert acks[2].text == "Cannot find device" or acks[2].reason == os.strerror(errno.ENODEV)
    assert qdisc.get(route, device.ifindex, ROOT) is None
    assert qdisc.dump_classes(route, device.ifindex) == []


# --- qdiscs, classes, filters: what the kernel keeps of them


def test_add_change_replace_delete(route, device):
    index = device.ifindex
    fifo = root(index, "bfifo", {"limit": 1000})
    with pytest.raises(KernelRefusal) as caught:
        route.request(qdisc.change(fifo))
    assert caught.value.errno == errno.ENOENT
    assert route.request(qdisc.add(fifo)).ok
    with pytest.raises(KernelRefusal) as caught:
        route.request(qdisc.add(fifo))
    assert caught.value.errno == errno.EEXIST
    assert route.request(qdisc.change(root(index, "bfifo", {"limit": 2000}))).ok
    assert kinds.decode_options("bfifo", qdisc.get(route, index, ROOT).options) == {"limit": 2000}
    with pytest.raises(KernelRefusal, match="must match existing qdisc"):
        route.request(qdisc.replace(root(index, "pfifo", {"limit": 5})))
    assert route.request(qdisc.replace(root(index, "pfifo", {"limit": 5}, "2:"))).ok
    assert route.request(qdisc.delete(QdiscMessage(index, UNSPECIFIED, ROOT))).ok
    with pytest.raises(KernelRefusal):
        route.request(qdisc.delete(QdiscMessage(index, UNSPECIFIED, ROOT)))


def test_tc_reads_what_we_wrote(space, route, device):
    route.request(qdisc.add(root(device.ifindex, "tbf", TBF)))
    [shown] = space.json("tc", "-j", "qdisc", "show", "dev", "v0")
    assert (shown["kind"], shown["handle"], shown["options"]["rate"]) == ("tbf", "1:", 6_250_000)
    assert shown["options"]["lat"] == 50_000
    assert "burst 16Kb" in space.run("tc", "qdisc", "show", "dev", "v0").stdout


def test_wide_rates(space, route, device):
    rate = 5_000_000_000  # 40 Gbit/s: more bytes a second than 32 bits hold
    parms = {"rate_linklayer": 1, "rate_rate": 0xFFFFFFFF, "limit": 10**8, "buffer": 234}
    value = [("PARMS", parms), ("BURST", 65_536), ("RATE64", rate)]
    route.request(qdisc.add(root(device.ifindex, "tbf", value)))
    pairs = kinds.decode_options("tbf", qdisc.get(route, device.ifindex, ROOT).options)
    assert dict(pairs)["RATE64"] == rate
    [shown] = space.json("tc", "-j", "qdisc", "show", "dev", "v0")
    assert shown["options"]["rate"] == rate


def test_an_htb_leaf(space, route, device):
    index = device.ifindex
    init = [("INIT", {"version": 3, "rate2quantum": 10, "defcls": 0x10})]
    leaf = {
        "rate_linklayer": 1,
        "rate_rate": 6_250_000,
        "ceil_linklayer": 1,
        "ceil_rate": 12_500_000,
        "buffer": 40_000,
        "cbuffer": 40_000,
    }
    options = kinds.encode_class_options("htb", [("PARMS", leaf)])
    inner = kinds.encode_options("pfifo", {"limit": 7})
    classid = Handle.parse("1:10")
    acks = route.batch(
        [
            qdisc.add(root(index, "htb", init)),
            qdisc.add_class(QdiscMessage(index, classid, Handle.of(1), "htb", options)),
            qdisc.add(QdiscMessage(index, Handle.parse("10:"), classid, "pfifo", inner)),
        ]
    )
    assert [ack.ok for ack in acks] == [True] * 3
    [one] = qdisc.dump_classes(route, index)
    parms = dict(kinds.decode_class_options("htb", one.options))["PARMS"]
    assert (one.handle, parms["rate_rate"], parms["ceil_rate"]) == (classid, 6_250_000, 12_500_000)
    assert kinds.decode_class_stats("htb", one.xstats)["lends"] == 0
    shown = space.run("tc", "class", "show", "dev", "v0").stdout
    assert "class htb 1:10 root leaf 10: prio 0 rate 50Mbit ceil 100Mbit" in shown
    assert [found.parent for found in qdisc.dump(route, index)] == [ROOT, classid]
    assert route.request(qdisc.delete(QdiscMessage(index, UNSPECIFIED, classid))).ok
    assert route.request(qdisc.delete_class(QdiscMessage(index, classid, UNSPECIFIED))).ok


def test_counters_count(space, route, device):
    index = device.ifindex
    route.request(qdisc.add(root(index, "tbf", TBF)))
    for command in (
        "ip address add 10.9.9.1/24 dev v0",
        "ip link set v0 up",
        "ip link set v1 up",
        "ip neighbour add 10.9.9.2 lladdr 02:00:00:00:00:01 dev v0",
    ):
        space.run(*command.split())
    before = qdisc.get(route, index, ROOT).counters
    space.run("ping", "-c", "3", "-i", "0.01", "-s", "1000", "-W", "0.1", "10.9.9.2", check=False)
    after = qdisc.get(route, index, ROOT).counters
    [shown] = space.json("tc", "-s", "-j", "qdisc", "show", "dev", "v0")
    assert after.packets - before.packets >= 3
    assert after.bytes - before.bytes >= 3 * 1042
    assert (shown["bytes"], shown["packets"]) == (after.bytes, after.packets)


def test_ingress_redirect_in_a_chain(space, route, device):
    index, ifb = device.ifindex, links.by_name(route, "ifb0").ifindex
    redirect = actions.action(
        "mirred", [("PARMS", {"action": actions.TC_ACT_STOLEN, "eaction": 1, "ifindex": ifb})]
    )
    options = filters.encode_filter(
        "u32",
        [("ACT", [(1, redirect)]), ("SEL", filters.selector([filters.U32Key(0, 0, 0)]))],
    )
    wanted = filters.FilterMessage(
        index, CLSACT_INGRESS, 10, filters.ETH_P_ALL, "u32", options, chain=5
    )
    clsact = QdiscMessage(index, INGRESS_HANDLE, INGRESS, "clsact")
    assert [ack.ok for ack in route.batch([qdisc.add(clsact), filters.add(wanted)])] == [True] * 2
    listed = filters.dump(route, index, CLSACT_INGRESS)
    assert {filters.chain(found) for found in listed} == {5}
    assert filters.dump(route, index, CLSACT_INGRESS, chain=0) == []
    assert filters.dump(route, index, CLSACT_EGRESS) == []
    *_, rule = listed
    assert (filters.priority(rule), filters.protocol(rule)) == (10, filters.ETH_P_ALL)
    values = dict(filters.decode_filter("u32", rule.options))
    kind, pairs = actions.parse_action(values["ACT"][0][1])
    assert (kind, dict(pairs)["PARMS"]["ifindex"]) == ("mirred", ifb)
    shown = space.run("tc", "filter", "show", "dev", "v0", "ingress").stdout
    assert "Egress Redirect to device ifb0" in shown
    assert "chain 5" in shown
    gone = filters.FilterMessage(index, CLSACT_INGRESS, 10, filters.ETH_P_ALL, "u32", chain=5)
    assert route.request(filters.delete(gone)).ok
    assert filters.dump(route, index, CLSACT_INGRESS) == []


def test_ingress_and_mq(route, device):
    index = device.ifindex
    acks = route.batch(
        [
            qdisc.add(QdiscMessage(index, INGRESS_HANDLE, INGRESS, "ingress")),
            qdisc.add(QdiscMessage(index, Handle.of(1), ROOT, "mq")),
        ]
    )
    assert [ack.ok for ack in acks] == [True, True]
    listed = {(found.kind, found.parent) for found in qdisc.dump(route, index, invisible=True)}
    assert {("ingress", INGRESS), ("mq", ROOT)} <= listed
    assert len(qdisc.dump_classes(route, index)) == 4


def test_one_dump_holds_all_devices(route):
    route.batch([links.create_veth(f"w{n}", f"x{n}") for n in range(100)])
    indices = {link.ifindex for link in links.dump(route) if link.kind == "veth"}
    acks = route.batch([qdisc.replace(root(index, "bfifo", {"limit": index})) for index in indices])
    assert all(ack.ok for ack in acks)
    found = [one for one in qdisc.dump(route) if one.kind == "bfifo"]
    assert {one.ifindex for one in found} == indices
    assert all(
        kinds.decode_options("bfifo", one.options) == {"limit": one.ifindex} for one in found
    )


def test_everything_in_one_reading(space, route, device):
    index = device.ifindex
    clsact = QdiscMessage(index, INGRESS_HANDLE, INGRESS, "clsact")
    route.batch([qdisc.add(root(index, "tbf", TBF)), qdisc.add(clsact)])
    tbf, ingress = readings.read(route, index)
    assert (tbf.ifindex, tbf.kind, tbf.handle, tbf.parent) == (index, "tbf", Handle.of(1), ROOT)
    assert dict(tbf.options)["PARMS"]["rate_rate"] == 6_250_000
    assert (tbf.stats, tbf.counters.drops) == (None, 0)
    assert (ingress.kind, ingress.options) == ("clsact", [])
    space.run("tc", "qdisc", "replace", "dev", "v0", "root", "pfifo_fast")
    [other] = [one for one in readings.read(route, index) if one.parent == ROOT]
    assert (other.kind, type(other.options)) == ("pfifo_fast", bytes)  # no codec here: as it came
    assert gc.isenabled()


# --- devices


def test_a_device_as_the_kernel_reports_it(space, route, device):
    [shown] = space.json("ip", "-j", "-d", "link", "show", "v0")
    assert (device.name, device.kind, device.tx_queues, device.rx_queues) == ("v0", "veth", 4, 4)
    assert (device.mtu, device.hard_header_length, device.up) == (1500, 14, False)
    assert device.lower == links.by_name(route, "v1").ifindex
    assert (device.qdisc, device.group, device.operstate) == ("noop", 0, "down")
    assert device.address.hex(":") == shown["address"]
    assert device.txqueuelen == shown["txqlen"]
    assert (device.gso_max_size, device.gso_max_segs) == (
        shown["gso_max_size"],
        shown["gso_max_segs"],
    )
    assert links.by_index(route, device.ifindex) == device
    loopback = links.by_name(route, "lo")
    assert (loopback.kind, loopback.hardware_type, loopback.hard_header_length) == ("", 772, 14)
    assert links.by_name(route, "ifb0").tx_queues == 2


def test_changing_a_device(route, device):
    index = device.ifindex
    changes = [
        links.set_up(index),
        links.set_mtu(index, 1400),
        links.set_txqueuelen(index, 77),
    ]
    assert all(ack.ok for ack in route.batch(changes))
    changed = links.by_index(route, index)
    assert (changed.up, changed.mtu, changed.txqueuelen) == (True, 1400, 77)
    route.request(links.set_down(index))
    assert not links.by_index(route, index).up


def test_masters_and_hardware_types(space, route, device):
    space.run("ip", "link", "add", "br0", "type", "bridge")
    space.run("ip", "link", "set", "v0", "master", "br0")
    space.run("ip", "tuntap", "add", "tun0", "mode", "tun")
    assert links.by_name(route, "v0").master == links.by_name(route, "br0").ifindex
    tun = links.by_name(route, "tun0")
    assert (tun.kind, tun.hardware_type, tun.hard_header_length) == ("tun", 0xFFFE, 0)


def test_a_peer_in_another_namespace(netns, route):
    other = netns.new()
    with open(NAMED / other.name) as descriptor:
        route.request(links.create_veth("p0", "p1", peer_namespace=descriptor.fileno()))
    assert links.by_name(route, "p0").lower_namespace is not None
    with RouteSocket(Namespace.named(other.name)) as there:
        assert links.by_name(there, "p1").kind == "veth"


def test_devices_that_are_not_there(route):
    for look_up in (
        lambda: links.by_name(route, "nosuch"),
        lambda: links.by_index(route, 9999),
        lambda: links.by_index(route, 0),
    ):
        with pytest.raises(KernelRefusal) as caught:
            look_up()
        assert caught.value.errno == errno.ENODEV
    with pytest.raises(EncodeError, match="16 bytes are outside"):
        links.by_name(route, "n" * 16)


def test_a_listing_that_the_kernel_refuses(route, device):
    body = IFINFOMSG.pack(0, 0, device.ifindex, 0, 0)
    with pytest.raises(KernelRefusal, match="Filter by device index not supported") as caught:
        route.dump(Message(RTM_GETLINK, 0, body), Reply)
    assert caught.value.errno == errno.EINVAL
    assert len(links.dump(route)) == 4


def test_asking_for_one_qdisc_disturbs_no_listener(space, route, device):
    route.request(qdisc.add(root(device.ifindex, "tbf", TBF)))
    with events.Events(Namespace.named(space.name)) as heard:
        assert qdisc.get(route, device.ifindex, ROOT).kind == "tbf"
        assert list(heard.until(0.1)) == []


# --- events


def test_what_changes_is_heard(space, route):
    with events.Events(Namespace.named(space.name)) as heard:
        assert heard.wait(0.05) == []
        route.request(links.create_veth("v0", "v1"))
        index = links.by_name(route, "v0").ifindex
        route.request(qdisc.add(root(index, "tbf", TBF)))
        route.request(qdisc.delete(QdiscMessage(index, UNSPECIFIED, ROOT)))
        route.request(links.delete(index))
        seen = list(heard.until(0.3))
    devices = [e for e in seen if isinstance(e, events.LinkEvent)]
    assert {("v0", False), ("v1", False), ("v0", True), ("v1", True)} <= {
        (e.link.name, e.gone) for e in devices
    }
    queues = [e for e in seen if isinstance(e, events.TcEvent)]
    assert [(e.what, e.object.kind, e.gone) for e in queues if e.object.kind == "tbf"] == [
        ("qdisc", "tbf", False),
        ("qdisc", "tbf", True),
    ]


def test_events_that_were_lost_are_told(space, route, device):
    with events.Events(Namespace.named(space.name), receive_buffer=1) as heard:
        for limit in range(50):
            route.request(qdisc.replace(root(device.ifindex, "bfifo", {"limit": limit})))
        assert any(isinstance(event, events.Overrun) for event in heard.until(0.2))
