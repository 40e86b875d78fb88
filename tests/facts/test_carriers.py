"""What carries tunnels and sessions: from a kernel, and from messages as it writes them."""

import struct
from dataclasses import replace
from ipaddress import ip_address

import pytest

from tcc.facts.carriers import carriers
from tcc.facts.gather import gather
from tcc.netlink import links, wireguard
from tcc.netlink.attributes import attribute
from tcc.netlink.namespace import Namespace
from tcc.netlink.routes import FarEnd
from tcc.netlink.transport import RouteSocket

HEAD = "Id       Address              Device\n"  # pppoe_seq_show() in drivers/net/ppp/pppoe.c
ARPHRD_PPP = 512


@pytest.mark.kernel
def test_a_tunnel_is_carried_by_what_its_far_end_is_routed_to(netns):
    here, there = netns.new(), netns.new()
    netns.link((here, "a0"), (there, "b0"))
    netns.link((here, "a1"), (there, "b1"))
    here.run("ip", "address", "add", "10.7.0.1/24", "dev", "a0")
    here.run("ip", "address", "add", "fd07::1/64", "dev", "a1", "nodad")
    for name, remote in (("four", "10.7.0.2"), ("six", "fd07::2"), ("nowhere", "10.99.0.1")):
        words = f"ip link add {name} type vxlan id {len(name)} dstport 4789 remote {remote}"
        here.run(*words.split())
    facts = gather(Namespace.named(here.name)).facts
    assert facts.device("four").carriers == ("a0",)
    assert facts.device("six").carriers == ("a1",)
    assert facts.device("nowhere").carriers == ()
    assert facts.device("a0").carriers == ()


def session(number):
    with RouteSocket() as route:
        loopback = links.by_name(route, "lo")
    return replace(loopback, ifindex=number, name=f"ppp{number}", hardware_type=ARPHRD_PPP)


@pytest.mark.parametrize(
    ("lines", "carrier"),
    [
        (["0000002A 00:11:22:33:44:55     eth1", "0000002B 00:11:22:33:44:56     eth1"], ("eth1",)),
        (["0000002A 00:11:22:33:44:55     eth1", "0000002B 00:11:22:33:44:56     eth2"], None),
        (["0000002A 00:11:22:33:44:55     eth1"], None),  # the other one is no PPPoE
    ],
)
def test_sessions_are_carried_by_the_one_device_that_carries_all(tmp_path, lines, carrier):
    sessions = [session(7), session(8)]
    for one in sessions:
        folder = tmp_path / "sys/class/net" / one.name
        folder.mkdir(parents=True)
        (folder / "ifindex").write_text(f"{one.ifindex}\n")
    (tmp_path / "proc/net").mkdir(parents=True)
    (tmp_path / "proc/net/pppoe").write_text(HEAD + "".join(f"{line}\n" for line in lines))
    with RouteSocket() as route:
        found = carriers(route, sessions, tmp_path, None)
    assert found == ({7: carrier, 8: carrier} if carrier else {})


def test_far_ends_of_wireguard_are_read_and_keys_passed_over():
    """As wg_get_device_dump() in drivers/net/wireguard/netlink.c writes it."""
    four = struct.pack("=H", 2) + struct.pack(">H4s8x", 51820, bytes([203, 0, 113, 9]))
    six_address = ip_address("2001:db8::7")
    six = struct.pack("=H", 10) + struct.pack(">HI16sI", 51820, 0, six_address.packed, 0)
    key = attribute(1, bytes(32))
    peers = [key + attribute(4, four), key + attribute(4, six), key]
    message = (
        attribute(1, struct.pack("=I", 7))
        + attribute(3, bytes(32))
        + attribute(7, struct.pack("=I", 0xCA6C))
        + attribute(8 | 0x8000, b"".join(attribute(0x8000, peer) for peer in peers))
    )
    assert list(wireguard.told(message)) == [
        FarEnd(ip_address("203.0.113.9"), 0xCA6C),
        FarEnd(six_address, 0xCA6C),
    ]
