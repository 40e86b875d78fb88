"""Who uses marks: nft and routing on this kernel, filters on 7.3, iptables in its own words."""

from pathlib import Path

import pytest

from tcc.facts import MarkUse
from tcc.facts.gather import gather
from tcc.facts.iptables_marks import iptables_marks
from tcc.facts.kernel_marks import OURS
from tcc.facts.nft_marks import nft_marks
from tcc.lower.ingress import PREFS
from tcc.netlink.namespace import Namespace
from tcc.plan.state import REDIRECT

GUEST = Path(__file__).with_name("guest_marks.py")
ALL = 2**32 - 1
# each statement, and the bits that it uses
STATEMENTS = [
    ("meta mark & 0xff00 == 0x100 accept", [("packet", 0xFF00)]),
    ("ct mark set ct mark or 0x40", [("connection", 0x40)]),
    ("ct mark set ct mark xor 0x5", [("connection", 0x5)]),
    ("ct mark set ct mark & 0xffffff00 | 0x7", [("connection", 0xFF)]),
    ("ct mark 0x5 accept", [("connection", ALL)]),
    ("ct mark 0x100-0x1ff accept", [("connection", ALL)]),
    ("ct mark & 0xffffff00 == 0x0 accept", [("connection", 0xFFFFFF00)]),
    ("ct mark & 0x3f vmap { 0x1 : accept }", [("connection", 0x3F)]),
    ("ip saddr . ct mark vmap { 10.0.0.1 . 0x5 : accept }", [("connection", ALL)]),
    ("ct mark set ip saddr map { 10.0.0.1 : 0x100 }", [("connection", ALL)]),
    # as wg-quick(8) has it, and mwan3: a mark goes over into the other one
    ("ct mark set meta mark", [("connection", ALL), ("packet", ALL)]),
    ("meta mark set ct mark & 0x3f00", [("packet", ALL & ~0x3F00), ("connection", 0x3F00)]),
    ("update @seen { ct mark }", [("connection", ALL)]),
    ("tcp dport 22 counter accept", []),
]


@pytest.mark.kernel
@pytest.mark.parametrize(("statement", "uses"), STATEMENTS)
def test_of_nft(netns, tmp_path, statement, uses):
    space = netns.new()
    rules = tmp_path / "rules.nft"
    chain = f"type filter hook forward priority filter\n{statement}\n"
    seen = "type mark\nflags dynamic\nsize 9\n"
    ours = "type filter hook postrouting priority mangle\nct mark set ct mark & 0xffffff40 | 0x80\n"
    rules.write_text(
        f"table inet fw4 {{\nset seen {{\n{seen}}}\nchain forward {{\n{chain}}}\n}}\n"
        f"table inet tcc-wan {{\nchain leaving {{\n{ours}}}\n}}\n"
    )
    space.run("nft", "-f", str(rules))
    found = gather(Namespace.named(space.name)).facts.marks
    assert found == tuple(MarkUse(who="nft inet fw4", mark=mark, mask=mask) for mark, mask in uses)


@pytest.mark.kernel
def test_of_rules_of_routing(netns):
    space = netns.new()
    words = "ip rule add fwmark 0x100/0xff00 table 100 priority 77"
    space.run(*words.split())
    found = gather(Namespace.named(space.name)).facts.marks
    assert found == (MarkUse(who="ip rule 77", mark="packet", mask=0xFF00),)


@pytest.mark.parametrize(
    ("line", "uses"),
    [  # as iptables-save 1.8.9 prints them, nf_tables and legacy alike
        ("-j CONNMARK --restore-mark --nfmask 0x3f00 --ctmask 0xff00",
         [("packet", 0x3F00), ("connection", 0xFF00)]),
        ("-j CONNMARK --save-mark --nfmask 0xffffffff --ctmask 0xffffffff",
         [("packet", ALL), ("connection", ALL)]),
        ("-m connmark --mark 0x1/0xff -j MARK --set-xmark 0x100/0x3f00",
         [("connection", 0xFF), ("packet", 0x3F00)]),
        ("-m mark ! --mark 0x2 -j CONNMARK --set-xmark 0x1/0x1",
         [("packet", ALL), ("connection", 0x1)]),
        ("-j MARK --set-xmark 0x4/0x4", [("packet", 0x4)]),
        ("-j CONNMARK --set-xmark 0x0/0xffffff0f", [("connection", 0xFFFFFF0F)]),
        ("-p tcp -j TPROXY --on-port 80 --on-ip 0.0.0.0 --tproxy-mark 0x1/0x1", [("packet", 0x1)]),
        ("-m connmark --mark 0x5 -j ACCEPT", [("connection", ALL)]),
        ("-m comment --comment \"mark\" -j ACCEPT", []),
        ("-m comment --comment \"-j MARK --set-mark red/blue\" -j ACCEPT", []),
        ("-m comment --comment \"it\\\"s\" -j MARK --set-xmark 0x4/0x4", [("packet", 0x4)]),
        ("-j MARK --set-xmark 0x4/red", [("packet", ALL)]),  # as nothing prints it
        # as older ones do
        ("-j CONNMARK --save-mark", [("packet", ALL), ("connection", ALL)]),
        ("-j MARK --and-mark 0xffffff00", [("packet", 0xFF)]),
    ],
)  # fmt: skip
def test_of_iptables(line, uses):
    text = f"*mangle\n:FORWARD ACCEPT [0:0]\n-A FORWARD {line}\nCOMMIT\n"
    found = list(iptables_marks(text, "iptables"))
    assert [(one.mark, one.mask) for one in found] == uses
    assert {one.who for one in found} <= {"iptables mangle"}


@pytest.mark.parametrize(("name", "mark"), [("CONNMARK", "connection"), ("mark", "packet")])
def test_of_iptables_where_only_nft_is_there_to_ask(name, mark):
    """nft names what it cannot show (libnftables-json(5), XT)."""
    statements = [{"xt": {"type": "target", "name": one}} for one in (name, "tcp")]
    rule = {"rule": {"family": "ip", "table": "mangle", "expr": statements}}
    assert list(nft_marks([rule])) == []
    assert list(nft_marks([rule], foreign=True)) == [
        MarkUse(who="nft ip mangle", mark=mark, mask=ALL)
    ]


def test_of_filters_of_tc(guest_report):
    """Each filter that tc(8) was told of, and what was found of it; ours is left out."""
    assert guest_report["marks"] == [
        ["tc filter of v0", "packet", 0x7F],  # fw
        ["tc filter of v0", "packet", 0xF0],  # u32 match mark
        ["tc filter of v0", "connection", 0xF00],  # flower ct_mark
        ["tc filter of v0", "connection", ALL],  # connmark
        ["tc filter of v0", "packet", ALL],
        ["tc filter of v0", "connection", 0xFC0000FF],  # ctinfo dscp and cpmark
        ["tc filter of v0", "packet", 0xFF],
        ["tc filter of v0", "connection", 0x30],  # ct commit mark
        ["tc filter of v0", "packet", 0xE],  # skbedit mark
    ]
    assert PREFS[REDIRECT] == OURS
