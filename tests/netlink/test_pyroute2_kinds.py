"""A program that uses pyroute2 gets our bytes, and our strictness, after `register()`."""

import pytest
from pyroute2 import IPRoute
from pyroute2.netlink.rtnl.tcmsg import plugins, tcmsg

from tcc.netlink import pyroute2_kinds
from tcc.netlink.attributes import attribute, decode, encode
from tcc.netlink.filters import FLOWER, MATCHALL
from tcc.netlink.kinds import encode_options
from tcc.netlink.objects import TCA, TCMSG
from tcc.netlink.wire import EncodeError
from tests.netlink import capture

CAKE = [
    ("BASE_RATE64", 12_500_000),
    ("DIFFSERV_MODE", 1),
    ("FLOW_MODE", 0),
    ("OVERHEAD", -4),
    ("RAW", 0),
]


@pytest.fixture
def registered():
    before = dict(plugins)
    pyroute2_kinds.register()
    yield plugins
    plugins.clear()
    plugins.update(before)


def read_by_pyroute2(kind: str, *more: tuple) -> tcmsg:
    pairs = [("KIND", kind), *more]
    body = TCMSG.pack(0, 3, 0x10000, 0xFFFFFFFF, 2) + encode(TCA, pairs)
    header = (16 + len(body)).to_bytes(4, "little") + bytes([36, 0]) + bytes(10)
    message = tcmsg(bytearray(header + body))
    message.decode()
    return message


def test_keywords_become_our_bytes(registered):
    words = {name.lower(): value for name, value in CAKE}
    given = registered["cake"].get_parameters({"kind": "cake", "index": 3, "handle": 1} | words)
    assert given == encode_options("cake", CAKE)
    assert registered["cake_mq"].get_parameters(words) == given
    sfq = registered["sfq"].get_parameters({"limit": 500, "depth": 64})
    assert sfq == encode_options("sfq", {"limit": 500, "depth": 64})


@pytest.mark.parametrize("wrong", [{"bandwith": 1}, {"overhead": 1 << 31}, {"rtt": "20ms"}])
def test_keywords_that_pyroute2_would_lose_are_refused(registered, wrong):
    with pytest.raises(EncodeError):
        registered["cake"].get_parameters(wrong)


def test_options_come_back_under_pyroute2s_names(registered):
    message = read_by_pyroute2("cake_mq", ("OPTIONS", encode_options("cake_mq", CAKE)))
    options = message.get_attr("TCA_OPTIONS")
    assert options.get_attr("TCA_CAKE_OVERHEAD") == -4
    assert options.get_attr("TCA_CAKE_BASE_RATE64") == 12_500_000
    assert [name for name, _ in options["attrs"]] == [f"TCA_CAKE_{name}" for name, _ in CAKE]


def test_eight_tins_and_the_order_of_lengths(registered):
    tins = b"".join(
        attribute(n, attribute(25, (300 + n).to_bytes(4, "little"))) for n in range(1, 9)
    )
    lengths = b"".join(
        attribute(n, v.to_bytes(4, "little")) for n, v in ((6, 28), (7, 1500), (8, 64), (9, 1514))
    )
    app = lengths + attribute(11, b"\xff\xff\xff\xff") + attribute(10, tins)
    message = read_by_pyroute2("cake", ("STATS2", [("APP", app)]))
    stats = message.get_attr("TCA_STATS2").get_attr("TCA_STATS_APP")
    assert stats.get_attr("TCA_CAKE_STATS_MIN_NETLEN") == 28
    assert stats.get_attr("TCA_CAKE_STATS_MAX_NETLEN") == 1500
    assert stats.get_attr("TCA_CAKE_STATS_MIN_ADJLEN") == 64
    assert stats.get_attr("TCA_CAKE_STATS_DEFICIT") == -1
    eighth = stats.get_attr("TCA_CAKE_STATS_TIN_STATS").get_attr("TCA_CAKE_TIN_STATS_8")
    assert eighth.get_attr("TCA_CAKE_TIN_STATS_FLOW_QUANTUM") == 308


def test_filters_are_little_endian_where_the_kernel_is(registered):
    given = registered["matchall"].get_parameters({"classid": 0x10010, "prio": 10})
    assert decode(MATCHALL, given) == [("CLASSID", 0x10010)]
    assert given.hex() == "0800010010000100"
    flower = registered["flower"].get_parameters({"key_ip_proto": 17, "key_udp_dst": 53})
    assert decode(FLOWER, flower) == [("KEY_IP_PROTO", 17), ("KEY_UDP_DST", 53)]


def test_only_what_is_asked_for_is_replaced(registered):
    stock = registered["htb"]
    pyroute2_kinds.register(["tbf"])
    assert registered["htb"] is stock
    with pytest.raises(KeyError):
        pyroute2_kinds.register(["netem"])


PARMS = {
    "rate_cell_log": 3,
    "rate_linklayer": 1,
    "rate_cell_align": -1,
    "rate_rate": 6_250_000,
    "limit": 328_884,
    "buffer": 40_953,
}


def test_a_tbf_through_pyroute2_and_the_kernel(registered, netns, monkeypatch):
    """What IPRoute sends for a tbf is what tc sends; what it lists is what is there."""
    stored = capture.read()[f"{capture.QDISC} tbf rate 50mbit burst 16k latency 50ms"]
    options = dict(decode(TCA, stored, 36))["OPTIONS"]
    table = dict(decode_tbf(options))["RTAB"]
    space = netns.new()
    space.run(*["ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1"])
    with IPRoute(netns=space.name, flags=0) as route:
        [index] = route.link_lookup(ifname="v0")
        route.tc("replace", "tbf", index=index, handle="1:", parms=PARMS, burst=16_384, rtab=table)
        [found] = route.get_qdiscs(index=index)
        parms = found.get_attr("TCA_OPTIONS").get_attr("TCA_TBF_PARMS")
        assert (parms["rate_rate"], parms["limit"]) == (6_250_000, 328_884)
        assert found.get_attr("TCA_STATS2").get_attr("TCA_STATS_QUEUE")["drops"] == 0
        with pytest.raises(EncodeError):
            route.tc("replace", "tbf", index=index, handle="1:", rate="50mbit")
    [shown] = space.json("tc", "-j", "qdisc", "show", "dev", "v0")
    assert (shown["kind"], shown["options"]["lat"]) == ("tbf", 50_000)


def test_the_bytes_of_a_tbf_through_pyroute2(registered):
    stored = capture.read()[f"{capture.QDISC} tbf rate 50mbit burst 16k latency 50ms"]
    options = dict(decode(TCA, stored, 36))["OPTIONS"]
    table = dict(decode_tbf(options))["RTAB"]
    given = registered["tbf"].get_parameters(
        {"kind": "tbf", "parms": PARMS, "burst": 16_384, "rtab": table}
    )
    message = tcmsg()
    message["attrs"] = [["TCA_KIND", "tbf"], ["TCA_OPTIONS", given]]
    message.encode()
    assert bytes(message.data)[36:] == stored[36:]


def decode_tbf(options: bytes) -> list:
    from tcc.netlink.kinds import TBF

    return decode(TBF, options)
