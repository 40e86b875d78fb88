"""What we send is, byte for byte, what tc sends for the same words.

`captured.txt` holds messages of Debian's tc 6.1 (made by capture.py), `captured-newer-tc.txt` two
of tc 7.3 (made the same way in the test kernel's guest); `cake.txt`, `tbf.txt` and `filters.txt`
hold what another decoder, written by other hands, saw in tc's messages.  One test runs the tc of
this machine and compares on the spot.
"""

import ast
import re

import pytest

from tcc.netlink import actions, filters, kinds, qdisc
from tcc.netlink.attributes import decode, locate
from tcc.netlink.filters import FilterMessage, U32Key
from tcc.netlink.handle import INGRESS, INGRESS_HANDLE, ROOT, UNSPECIFIED, Handle
from tcc.netlink.messages import NLM_F_ACK, NLM_F_REQUEST, NLMSGHDR, Message
from tcc.netlink.objects import TCA, TCMSG
from tcc.netlink.qdisc import QdiscMessage
from tests.netlink import capture

FOLDER = capture.CAPTURED.parent
CAPTURED = capture.read()
DEVICE, IFB = 3, 4
CLASSID = Handle.parse("1:10")


def framed(message: Message) -> bytes:
    """Return a request as a socket sends it, but with tc's sequence number and port: none."""
    flags = message.flags | NLM_F_REQUEST | NLM_F_ACK
    length = NLMSGHDR.size + len(message.body)
    return NLMSGHDR.pack(length, message.type, flags, 0, 0) + message.body


def options_of(message: bytes) -> bytes:
    """Return the payload of TCA_OPTIONS in a tc request."""
    values = dict(decode(TCA, message, NLMSGHDR.size + TCMSG.size))
    return values.get("OPTIONS", b"")


def sections(name: str) -> dict[str, str]:
    """Return the parts of one of the other decoder's files, by heading."""
    parts = re.split(r"^===== (.*)\n", (FOLDER / name).read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


# Headings of cake.txt that are not tc's own words.
CAKE_HEADINGS = {
    "defaults": "",
    "bandwidth int": "bandwidth 100mbit",
    "bandwidth unlimited": "unlimited",
    "autorate": "autorate-ingress",
    "autorate False": "",
    "rtt lan": "lan",
    'rtt "20ms"': "rtt 20ms",
    "rtt interplanetary": "interplanetary",
    "not raw (+overhead 44)": "overhead 44",
    'ack_filter bad: "filter"': "ack-filter",
    "fwmark": "fwmark 0xff",
    'memlimit "32mb"': "memlimit 32mb",
    "typo key": "",
}
CAKE_SECTIONS = sections("cake.txt")


@pytest.mark.parametrize("heading", CAKE_SECTIONS)
def test_cake_options_as_the_other_decoder_saw_them(heading):
    words = CAKE_HEADINGS.get(heading, heading)
    seen = ast.literal_eval(re.search(r"tc : (\[.*?\])   ", CAKE_SECTIONS[heading])[1])
    message = CAPTURED[f"{capture.QDISC} cake {words}".rstrip()]
    assert options_of(message) == kinds.encode_options("cake", seen)
    assert kinds.decode_options("cake", options_of(message)) == seen


def test_every_word_of_cake_was_seen_by_both():
    words = {CAKE_HEADINGS.get(heading, heading) for heading in CAKE_SECTIONS}
    assert words == set(capture.CAKE_WORDS)


def test_a_whole_cake_message():
    wanted = QdiscMessage(
        DEVICE,
        Handle.of(1),
        ROOT,
        "cake",
        kinds.encode_options("cake", [("ATM", 0), ("OVERHEAD", 44), ("MPU", 64)]),
    )
    words = "overhead 44 mpu 64 noatm"
    assert framed(qdisc.replace(wanted)) == CAPTURED[f"{capture.QDISC} cake {words}"]


ALL_CAKE = [
    ("BASE_RATE64", 12_500_000),
    ("DIFFSERV_MODE", 2),
    ("ATM", 2),
    ("FLOW_MODE", 5),
    ("OVERHEAD", -4),
    ("MPU", 64),
    ("RTT", 50_000),
    ("TARGET", 2500),
    ("AUTORATE", 0),
    ("MEMORY", 4_000_000),
    ("FWMARK", 0xFF00),
    ("NAT", 1),
    ("WASH", 1),
    ("SPLIT_GSO", 0),
    ("ACK_FILTER", 2),
]


@pytest.mark.parametrize("kind", ["cake", "cake_mq"])
def test_all_of_cake_and_cake_mq_as_a_newer_tc_sends_them(kind):
    stored = capture.read(FOLDER / "captured-newer-tc.txt")
    [message] = [stored[words] for words in stored if f" {kind} " in words]
    options = kinds.encode_options(kind, ALL_CAKE)
    wanted = QdiscMessage(DEVICE, Handle.of(1), ROOT, kind, options)
    assert framed(qdisc.replace(wanted)) == message


TBF_HEADINGS = {
    "50mbit burst16k lat50": "rate 50mbit burst 16k latency 50ms",
    "1gbit burst 5000B": "rate 1gbit burst 5000 latency 50ms",
    "10gbit burst 1600B": "rate 10gbit burst 1600 latency 50ms",
    "40gbit (>2^32 B/s)": "rate 40gbit burst 64k latency 5ms",
    "peakrate": "rate 50mbit burst 16k latency 50ms peakrate 100mbit mtu 1540",
    "overhead+mpu": "rate 50mbit burst 16k latency 50ms overhead 18 mpu 64",
    "linklayer atm": "rate 50mbit burst 16k latency 50ms linklayer atm",
    "limit": "rate 50mbit burst 16k limit 100000",
    "fraction 1.5mbit": "rate 1.5mbit burst 16k latency 50ms",
    "8kbit slow": "rate 8kbit burst 1600 latency 500ms",
}


def flat(parms: dict) -> dict[str, int]:
    """Return the other decoder's PARMS under our names."""
    named = {"limit": parms["limit"], "buffer": parms["buffer"], "mtu": parms["mtu"]}
    for theirs, ours in (("rate", "rate"), ("peak", "peakrate")):
        named |= {f"{ours}_{field}": number for field, number in parms[theirs].items()}
    return named


@pytest.mark.parametrize("heading", TBF_HEADINGS)
def test_tbf_options_as_the_other_decoder_saw_them(heading):
    section = sections("tbf.txt")[heading]
    seen = ast.literal_eval(re.search(r"sent: (\[.*\])", section)[1])
    message = CAPTURED[f"{capture.QDISC} tbf {TBF_HEADINGS[heading]}"]
    ours = kinds.decode_options("tbf", options_of(message))
    assert kinds.encode_options("tbf", ours) == options_of(message)
    assert [name for name, _ in ours] == [name for name, _ in seen]
    for (name, value), (_, expected) in zip(ours, seen, strict=True):
        if name == "PARMS":
            assert value == flat(expected)
        elif name in {"RTAB", "PTAB"}:
            said = re.match(r"len=1024 \[0\]=(\d+) \[1\]=(\d+) \[255\]=(\d+) sum=(\d+)", expected)
            assert (value[0], value[1], value[255], sum(value)) == tuple(map(int, said.groups()))
            assert len(value) == 256
        else:
            assert value == expected


SFQ = {
    "quantum": 3000,
    "perturb_period": 10,
    "limit": 500,
    "divisor": 2048,
    "depth": 64,
    "headdrop": 1,
}
FQ_CODEL = [
    ("LIMIT", 1000),
    ("FLOWS", 512),
    ("QUANTUM", 3000),
    ("INTERVAL", 90_000),
    ("TARGET", 6000),
    ("ECN", 1),
    ("CE_THRESHOLD", 1000),
    ("MEMORY_LIMIT", 4 << 20),
    ("DROP_BATCH_SIZE", 32),
]
HTB = [
    ("INIT", {"version": 3, "rate2quantum": 20, "defcls": 0x10}),
    ("DIRECT_QLEN", 500),
]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("sfq", SFQ),
        ("fq_codel", FQ_CODEL),
        ("bfifo", {"limit": 100_000}),
        ("pfifo", {"limit": 100}),
        ("htb", HTB),
    ],
)
def test_other_qdiscs(kind, value):
    [command] = [words for words in CAPTURED if words.startswith(f"{capture.QDISC} {kind} ")]
    wanted = QdiscMessage(DEVICE, Handle.of(1), ROOT, kind, kinds.encode_options(kind, value))
    assert framed(qdisc.replace(wanted)) == CAPTURED[command]


def test_an_htb_class_comes_back_as_tc_wrote_it():
    [command] = [words for words in CAPTURED if words.startswith("tc class add")]
    options = options_of(CAPTURED[command])
    pairs = kinds.decode_class_options("htb", options)
    assert kinds.encode_class_options("htb", pairs) == options
    values = dict(pairs)
    assert values["CEIL64"] == 10_000_000_000  # 80 Gbit/s in bytes per second
    assert values["PARMS"]["rate_rate"] == 6_250_000
    assert values["PARMS"]["ceil_rate"] == 0xFFFFFFFF  # does not fit
    wanted = QdiscMessage(DEVICE, CLASSID, Handle.of(1), "htb", options)
    assert framed(qdisc.add_class(wanted)) == CAPTURED[command]


LEAF = (Handle.parse("10:"), CLASSID, "pfifo")
REQUESTS = {
    "tc qdisc add dev v0 parent 1:10 handle 10: pfifo limit 10": qdisc.add(
        QdiscMessage(DEVICE, *LEAF, kinds.encode_options("pfifo", {"limit": 10}))
    ),
    "tc qdisc change dev v0 parent 1:10 handle 10: pfifo limit 20": qdisc.change(
        QdiscMessage(DEVICE, *LEAF, kinds.encode_options("pfifo", {"limit": 20}))
    ),
    "tc qdisc del dev v0 root": qdisc.delete(QdiscMessage(DEVICE, UNSPECIFIED, ROOT)),
    f"{capture.QDISC} mq": qdisc.replace(QdiscMessage(DEVICE, Handle.of(1), ROOT, "mq")),
    "tc qdisc add dev v0 ingress": qdisc.add(
        QdiscMessage(DEVICE, INGRESS_HANDLE, INGRESS, "ingress")
    ),
    "tc qdisc del dev v0 ingress": qdisc.delete(
        QdiscMessage(DEVICE, INGRESS_HANDLE, INGRESS, "ingress")
    ),
    "tc qdisc add dev v0 clsact": qdisc.add(
        QdiscMessage(DEVICE, INGRESS_HANDLE, INGRESS, "clsact")
    ),
}


def redirect() -> list:
    parms = {
        "action": actions.TC_ACT_STOLEN,
        "eaction": actions.EGRESS_REDIRECT,
        "ifindex": IFB,
    }
    return [(1, actions.action("mirred", [("PARMS", parms)]))]


def act(kind: str, *pairs: tuple) -> list:
    return [(1, actions.action(kind, pairs))]


ANYTHING = ("SEL", filters.selector([U32Key(0, 0, 0)]))
SKBEDIT = act(
    "skbedit", ("PARMS", {"action": actions.TC_ACT_PIPE}), ("PRIORITY", Handle.parse("1:1"))
)
CTINFO = act(
    "ctinfo",
    ("ACT", {"action": actions.TC_ACT_PIPE}),
    ("ZONE", 0),
    ("PARMS_DSCP_MASK", 0xFC000000),
    ("PARMS_DSCP_STATEMASK", 0x01000000),
)
PORT_53 = filters.selector([U32Key(0x00110000, 0x00FF0000, 8), U32Key(53, 0xFFFF, 20)])
PASS_ALL = bytes.fromhex("06000000ffffffff")  # BPF_RET | BPF_K, -1
IP, ALL = filters.ETH_P_IP, filters.ETH_P_ALL


def filter_request(protocol: int, kind: str, *pairs: tuple, **more) -> Message:
    options = filters.encode_filter(kind, pairs)
    settings = {"parent": INGRESS_HANDLE} | more
    return filters.add(
        FilterMessage(
            DEVICE, priority=10, protocol=protocol, kind=kind, options=options, **settings
        )
    )


F = capture.FILTER
REQUESTS |= {
    f"{F} protocol all prio 10 u32 match u32 0 0 {capture.MIRRED}": filter_request(
        ALL, "u32", ("ACT", redirect()), ANYTHING
    ),
    f"{F} protocol all prio 10 matchall {capture.MIRRED}": filter_request(
        ALL, "matchall", ("ACT", redirect())
    ),
    f"{F} protocol all prio 10 matchall classid 1:10": filter_request(
        ALL, "matchall", ("CLASSID", CLASSID)
    ),
    f"{F} protocol all prio 10 matchall skip_hw classid 1:10": filter_request(
        ALL, "matchall", ("CLASSID", CLASSID), ("FLAGS", 1)
    ),
    "tc filter add dev v0 parent 1: protocol all prio 10 handle 1/0xff fw classid 1:10": (
        filter_request(
            ALL, "fw", ("MASK", 0xFF), ("CLASSID", CLASSID), parent=Handle.of(1), handle=1
        )
    ),
    f"{F} protocol ip prio 10 flower ip_proto udp dst_port 53 classid 1:10": filter_request(
        IP,
        "flower",
        ("KEY_IP_PROTO", 17),
        ("KEY_UDP_DST", 53),
        ("CLASSID", CLASSID),
        ("FLAGS", 0),
        ("KEY_ETH_TYPE", IP),
    ),
    f"{F} protocol ip prio 10 u32 match u32 0 0 action skbedit priority 1:1": filter_request(
        IP, "u32", ("ACT", SKBEDIT), ANYTHING
    ),
    f"{F} protocol all prio 10 u32 match u32 0 0 action ctinfo dscp 0xfc000000 0x01000000": (
        filter_request(ALL, "u32", ("ACT", CTINFO), ANYTHING)
    ),
    f"{F} protocol ip prio 10 u32 match ip protocol 17 0xff match ip dport 53 0xffff"
    " classid 1:10": filter_request(IP, "u32", ("CLASSID", CLASSID), ("SEL", PORT_53)),
    f"{F} protocol ip prio 10 chain 5 u32 match u32 0 0 classid 1:10": filter_request(
        IP, "u32", ("CLASSID", CLASSID), ANYTHING, chain=5
    ),
    f"{F} protocol all prio 10 u32 match u32 0 0 action ok": filter_request(
        ALL, "u32", ("ACT", act("gact", ("PARMS", {"action": actions.TC_ACT_OK}))), ANYTHING
    ),
    f"{F} protocol all prio 10 bpf bytecode '1,6 0 0 4294967295' classid 1:10": filter_request(
        ALL, "bpf", ("CLASSID", CLASSID), ("OPS_LEN", 1), ("OPS", PASS_ALL)
    ),
}


@pytest.mark.parametrize("command", REQUESTS)
def test_whole_requests(command):
    assert framed(REQUESTS[command]) == CAPTURED[command]


def test_every_captured_command_is_compared():
    compared = set(REQUESTS)
    compared |= {words for words in CAPTURED if " cake" in words or " tbf " in words}
    compared |= {words for words in CAPTURED if words.startswith("tc class add")}
    single = ("sfq", "fq_codel", "bfifo", "pfifo", "htb")
    compared |= {
        words for words in CAPTURED for kind in single if f"{capture.QDISC} {kind} " in words
    }
    assert compared == set(CAPTURED)


FILTER_HEADINGS = {
    "u32 all -> mirred redirect ifb0": ("ACT", redirect()),
    "u32 skbedit prio": ("ACT", SKBEDIT),
    "u32 ctinfo": ("ACT", CTINFO),
    "u32 dport 53 classid": ("SEL", PORT_53),
}


@pytest.mark.parametrize("heading", FILTER_HEADINGS)
def test_actions_and_keys_as_the_other_decoder_saw_them(heading):
    tc = sections("filters.txt")[heading].partition("  py:")[0]
    seen = max(re.findall(r"type=\d+ len=\d+ ([0-9a-f]{60,})", tc), key=len)
    name, value = FILTER_HEADINGS[heading]
    assert seen in filters.encode_filter("u32", [(name, value)]).hex()


def test_u32_keys_come_back():
    head, keys = filters.parse_selector(PORT_53)
    assert (head["nkeys"], head["flags"]) == (2, filters.U32_TERMINAL)
    assert keys == [U32Key(0x00110000, 0x00FF0000, 8), U32Key(53, 0xFFFF, 20)]


def test_actions_come_back():
    options = filters.encode_filter("u32", [("ACT", redirect())])
    [(_, [(order, found)])] = filters.decode_filter("u32", options)
    kind, pairs = actions.parse_action(found)
    assert (order, kind) == (1, "mirred")
    assert dict(pairs)["PARMS"]["ifindex"] == IFB


def test_a_refused_attribute_is_named():
    body = REQUESTS[f"{F} protocol ip prio 10 flower ip_proto udp dst_port 53 classid 1:10"].body
    options = options_of(bytes(NLMSGHDR.size) + body)
    assert locate(filters.FILTER_KINDS["flower"], options, 8) == "KEY_UDP_DST"


@pytest.mark.kernel
def test_this_machines_tc_says_the_same(netns, tmp_path):
    """The stored messages are still what tc sends: nobody made them up."""
    space = netns.new()
    run = ["ip", "netns", "exec", space.name]
    capture.devices(run)
    shim = capture.build(tmp_path)
    for command in list(REQUESTS)[:12]:
        [message] = capture.sent(shim, [*run, *capture.words(command)])
        assert message == framed(REQUESTS[command]), command
