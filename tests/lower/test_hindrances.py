"""What facts say against a policy, at its own words."""

import pytest

from tcc import api
from tcc.facts import DeviceFacts, Facts, FlowtableFacts, MarkUse, QdiscFacts
from tcc.facts.firewall import flowtables
from tcc.source import Source

WAN = 'link wan { device "eth0"; egress { bandwidth 50mbit; qdisc cake } }\n'
VLAN = 'link inner { device "eth0.7"; egress { bandwidth 20mbit; qdisc cake } }\n'
TIERS = """
link wan { device "eth0"; role router; framing raw
    egress { bandwidth 50mbit; tiers diffserv4; qdisc cake }
    ingress { bandwidth 50mbit; tiers diffserv4; qdisc cake } }
tier voice { match udp remote port 3478 }
"""
ETH0, VLAN7 = DeviceFacts(name="eth0"), DeviceFacts(name="eth0.7", kind="vlan", lower="eth0")


def findings(policy, **facts):
    built = api.load(Source("test.tcc", policy))
    assert built.policy, built.found
    devices = facts.pop("devices", (ETH0, VLAN7))
    _, found = api.lower(built, "netlink", Facts(devices=devices, **facts))
    return [one for one in found if one.severity.name != "NOTE"]


def words(policy, one):
    return policy[one.span.start : one.span.end]


def table(device, hardware):
    return FlowtableFacts(table="inet fw4", name="ft", devices=(device, "lan1"), hardware=hardware)


@pytest.mark.parametrize("device", ["eth0", "eth0.7"])  # the very one, and one over it
def test_hardware_offload_is_refused_at_the_device(device):
    [found] = findings(WAN, flowtables=(table(device, True),))
    assert (found.code, found.severity.name) == ("hardware-offload", "ERROR")
    assert words(WAN, found) == '"eth0"'


def test_the_cure_is_the_systems_own():
    [found] = findings(WAN, flowtables=(table("eth0", True),), openwrt="24.10.0")
    assert (
        "uci set firewall.@defaults[0].flow_offloading_hw=0; uci commit firewall" in found.hints[1]
    )
    [found] = findings(WAN, flowtables=(table("eth0", True),))
    assert "/etc/nftables.conf" in found.hints[1]


def test_software_offload_is_a_warning_and_other_devices_do_not_matter():
    [found] = findings(WAN, flowtables=(table("eth0", False),))
    assert (found.code, found.severity.name) == ("software-offload", "WARNING")
    assert findings(WAN, flowtables=(table("eth9", True),)) == []


def test_a_vlan_and_its_parent_are_not_both_shaped():
    [found] = findings(WAN + VLAN)
    assert found.code == "shaped-twice"
    assert words(WAN + VLAN, found) == '"eth0.7"'
    assert "eth0.7 is a VLAN over eth0" in found.hints[0]
    assert findings(VLAN) == []


def test_a_tunnel_and_what_carries_it_are_not_both_shaped():
    tunnel = DeviceFacts(name="wg0", kind="wireguard", carriers=("ppp0", "eth0"))
    policy = WAN + 'link tunnel { device "wg0"; egress { bandwidth 20mbit; qdisc cake } }\n'
    [found] = findings(policy, devices=(ETH0, tunnel))
    assert (found.code, words(policy, found)) == ("shaped-twice", '"wg0"')
    assert "wg0 is a wireguard over eth0" in found.hints[0]


def test_a_bridge_and_its_port_are_not_both_shaped():
    port = DeviceFacts(name="eth0", master="br-lan")
    policy = WAN + 'link lan { device "br-lan"; egress { bandwidth 90mbit; qdisc cake } }\n'
    found, other = findings(policy, devices=(port, DeviceFacts(name="br-lan", kind="bridge")))
    assert other.code == "shaped-twice"
    assert "eth0 is a port of br-lan" in other.hints[0]
    assert (found.code, words(policy, found)) == ("bridge-carries-local", "90mbit")


def test_a_bridge_without_a_rate_holds_nothing_back():
    policy = 'link lan { device "br-lan"; egress { bandwidth unlimited; qdisc cake } }\n'
    assert findings(policy, devices=(DeviceFacts(name="br-lan", kind="bridge"),)) == []


def test_the_other_direction_is_another_matter():
    policy = WAN + VLAN.replace("egress", "ingress")
    assert findings(policy) == []


def test_a_session_over_a_device_that_somebody_else_shapes():
    shaped = DeviceFacts(
        name="eth1", qdiscs=(QdiscFacts(kind="cake", handle="8001:", parent="root"),)
    )
    session = DeviceFacts(name="pppoe-wan", lower="eth1")
    policy = WAN.replace("eth0", "pppoe-wan")
    [found] = findings(policy, devices=(shaped, session))
    assert found.code == "shaped-twice"
    assert "tc qdisc delete dev eth1 root" in found.hints[1]


def test_marks_of_others_are_not_overwritten():
    use = MarkUse(who="nft inet mwan3", mark="connection", mask=0x3F00)
    assert findings(TIERS, marks=(use,)) == []
    [found] = findings(TIERS, marks=(use, MarkUse(who="ip", mark="connection", mask=0x30)))
    assert found.code == "marks-taken"
    assert "ip (mask 0x30)" in found.hints[0]
    packet = MarkUse(who="ip rule 1", mark="packet", mask=0xFF)
    assert findings(TIERS, marks=(packet,)) == []


def test_flowtables_as_nft_prints_them():
    """The form of libnftables-json(5), FLOWTABLE."""
    found = flowtables([
        {"flowtable": {"family": "inet", "name": "ft", "table": "fw4", "handle": 3,
                       "hook": "ingress", "prio": 0, "dev": ["wan", "lan1"], "flags": "offload"}},
        {"flowtable": {"family": "ip", "name": "f", "table": "x", "handle": 4,
                       "hook": "ingress", "prio": 0, "dev": "wan"}},
        {"table": {"family": "inet", "name": "fw4"}},
    ])  # fmt: skip
    assert list(found) == [
        FlowtableFacts(table="inet fw4", name="ft", devices=("wan", "lan1"), hardware=True),
        FlowtableFacts(table="ip x", name="f", devices=("wan",)),
    ]
