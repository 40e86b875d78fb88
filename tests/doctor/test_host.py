"""What facts tell a doctor: each thing that is wrong, with the command that mends it."""

import json
from dataclasses import replace

import pytest

from tcc.doctor.host import findings
from tcc.facts import DeviceFacts, Facts, FlowtableFacts, MarkUse, QdiscFacts

GOOD = Facts(
    kernel="7.3.4",
    qdiscs=("cake", "cake_mq", "clsact", "tbf"),
    filters=("matchall",),
    actions=("ctinfo", "mirred", "skbedit"),
    links=("ifb",),
    nft=True,
    devices=(DeviceFacts(name="eth0", rx_queues=4, speed=10**9, offloads=("gro", "gso")),),
    sysctls={"net.core.default_qdisc": "fq_codel"},
    flowtables=(),
    marks=(),
    cpus=4,
)
ETH0 = GOOD.devices[0]


def wrong(**changes):
    found = findings(replace(GOOD, **changes))
    return [(one.code, one.cure) for one in found if one.state == "look"]


def device(**changes):
    return {"devices": (replace(ETH0, **changes),)}


def test_a_good_host_has_nothing_to_look_at():
    assert wrong() == []


@pytest.mark.parametrize(
    ("changes", "code", "cure"),
    [
        ({"qdiscs": ("clsact", "tbf")}, "cake", "modprobe sch_cake"),
        ({"qdiscs": ("clsact", "tbf"), "openwrt": "24.10"}, "cake", "opkg install kmod-sched-cake"),
        ({"links": ()}, "ingress", "modprobe ifb"),
        ({"actions": ("ctinfo",)}, "ingress", "modprobe act_mirred"),
        ({"actions": ("mirred",)}, "tiers", "modprobe act_ctinfo"),
        ({"nft": False}, "tiers", "apt install nftables"),
        ({"accelerators": ("qca_nss_ecm",)}, "accelerator", "rmmod qca_nss_ecm"),
        (device(rx_queues=1, steered=False), "steering",
         "echo f > /sys/class/net/eth0/queues/rx-0/rps_cpus"),
        (device(offloads=("lro", "gso")), "merging", "ethtool -K eth0 lro off"),
        (device(owner="sqm"), "owner", "/etc/init.d/sqm stop"),
        (device(owner="qosmate"), "owner", "/etc/init.d/qosmate stop"),
        (device(owner="networkmanager"), "owner", "nmcli connection"),
        (device(owner="networkd"), "owner", "networkctl status eth0"),
        ({"sysctls": {"net.core.default_qdisc": "cake"}}, "default-qdisc", "sysctl -w"),
        ({"marks": (MarkUse(who="nft inet mwan3", mark="connection", mask=0x80),)}, "marks",
         "outside of 0xbf"),
        ({"flowtables": (FlowtableFacts(table="inet fw4", name="ft", devices=("eth0",),
                                        hardware=True),), "openwrt": "24.10"}, "offload",
         "uci set firewall.@defaults[0].flow_offloading_hw=0; uci commit firewall; "
         "service firewall restart"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found_with_the_command_that_mends_it(changes, code, cure):
    [(found, told)] = wrong(**changes)
    assert found == code
    assert cure in told


def test_what_is_harmless_is_not_called_wrong():
    assert wrong(**device(speed=None)) == []
    assert wrong(**device(rx_queues=1, steered=True)) == []
    assert wrong(cpus=1, **device(rx_queues=1, steered=False)) == []
    packet = MarkUse(who="ip rule 1", mark="packet", mask=0xFF)
    assert wrong(marks=(packet,)) == []
    shaped = QdiscFacts(kind="tbf", handle="1:", parent="root")
    assert wrong(**device(qdiscs=(shaped,))) == []


def test_every_finding_to_look_at_has_a_cure():
    sick = replace(GOOD, qdiscs=("pfifo",), links=(), actions=(), nft=False)
    found = list(findings(sick))
    assert all((one.state == "look") == (one.cure is not None) for one in found)
    assert len({one.code for one in found if one.state == "look"}) == 3
    json.dumps([one._asdict() for one in found])
