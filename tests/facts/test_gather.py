"""Facts of this machine and of namespaces made by the tests; daemons' files as they write them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tcc.facts import Facts
from tcc.facts.gather import gather
from tcc.facts.kinds import probe
from tcc.facts.owners import owner
from tcc.facts.sysctls import sysctls, ticks_per_us
from tcc.ir import document
from tcc.netlink.namespace import Namespace

ROOT = Path(__file__).parents[2]


def test_devices_and_what_hangs_on_them(netns):
    inside, other = netns.new(), netns.new()
    netns.link((inside, "a0"), (other, "b0"))
    queues = "numtxqueues 4 numrxqueues 4"
    inside.run("sh", "-c", f"ip link add q0 {queues} mtu 1400 type veth peer name q1")
    inside.run("ip", "link", "add", "br0", "type", "bridge")
    inside.run("ip", "link", "set", "q0", "master", "br0")
    inside.run(
        "tc",
        *[
            "qdisc",
            "add",
            "dev",
            "a0",
            "root",
            "handle",
            "5:",
            "tbf",
            "rate",
            "9mbit",
            "burst",
            "9k",
            "limit",
            "90k",
        ],
    )
    inside.run(
        "tc",
        *["qdisc", "add", "dev", "a0", "parent", "5:1", "handle", "6:", "bfifo", "limit", "5000"],
    )
    facts = gather(Namespace.named(inside.name)).facts
    shown = {one["ifname"]: one for one in inside.json("ip", "-j", "-d", "link")}
    assert [device.name for device in facts.devices] == list(shown)
    for device in facts.devices:
        assert device.index == shown[device.name]["ifindex"]
        assert device.mtu == shown[device.name]["mtu"]
        assert device.kind == shown[device.name].get("linkinfo", {}).get("info_kind", "")
    q0, a0 = facts.device("q0"), facts.device("a0")
    assert (q0.tx_queues, q0.rx_queues, q0.mtu, q0.master, q0.up) == (4, 4, 1400, "br0", False)
    assert (a0.lower, a0.max_frame, a0.up) == (None, 1514, True)
    assert [(one.kind, one.handle, one.parent) for one in a0.qdiscs] == [
        ("tbf", "5:", "root"),
        ("bfifo", "6:", "5:1"),
    ]
    assert a0.qdiscs[1].options == (5000).to_bytes(4, sys.byteorder).hex()
    assert document.read_text(Facts, document.text(facts)) == facts


def test_kinds_are_found_by_trying(netns):
    facts = gather(Namespace.named(netns.new().name)).facts
    for kind in ("tbf", "bfifo", "pfifo", "htb", "ingress", "clsact", "mq"):
        assert kind in facts.qdiscs
    assert "bogus" not in probe(["tbf", "bogus"]).qdiscs
    assert probe(["tbf", "bogus"]).qdiscs == ("tbf",)


def test_trying_leaves_nothing(netns):
    before = subprocess.run(["ip", "-j", "link"], capture_output=True, check=True).stdout
    spaces = set(os.listdir("/run/netns")) if Path("/run/netns").exists() else set()
    probe()
    assert subprocess.run(["ip", "-j", "link"], capture_output=True, check=True).stdout == before
    assert set(os.listdir("/run/netns")) == spaces


def test_without_root_the_rest_is_told(netns):
    """As nobody, with user namespaces forbidden by a limit of none."""
    script = (
        "import json\nfrom tcc.facts.gather import gather\n"
        "g = gather()\nprint(json.dumps([len(g.facts.devices), g.facts.qdiscs, g.unknown]))"
    )
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]
    done = subprocess.run([*words, sys.executable, "-c", script], cwd=ROOT, text=True,
                          capture_output=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    count, kinds, unknown = json.loads(done.stdout)
    assert count >= 1
    assert kinds or any("kinds of qdisc" in sentence for sentence in unknown)


def write(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


# What the daemons write: systemd 252's networkd, NetworkManager 1.42, sqm-scripts 1.6.
OWNERS = {
    "networkd": (
        "run/systemd/netif/links/7",
        "# This is private data. Do not parse.\nADMIN_STATE=configured\nOPER_STATE=routable\n"
        "NETWORK_FILE=/etc/systemd/network/10-wan.network\n",
    ),
    "networkmanager": (
        "run/NetworkManager/devices/7",
        "[device]\nmanaged=true\nnm-owned=false\nroute-metric-default-effective=100\n",
    ),
    "sqm": ("var/run/sqm/eth0.state", "IFACE='eth0'\nDOWNLINK='85000'\n"),
}


@pytest.mark.parametrize("daemon", OWNERS)
def test_owners(tmp_path, daemon):
    write(tmp_path, *OWNERS[daemon])
    assert owner(7, "eth0", tmp_path) == daemon
    assert owner(8, "eth1", tmp_path) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("run/systemd/netif/links/7", "ADMIN_STATE=unmanaged\n"),
        ("run/NetworkManager/devices/7", "[device]\nmanaged=false\n"),
    ],
)
def test_a_daemon_that_leaves_a_device_alone_does_not_own_it(tmp_path, path, text):
    write(tmp_path, path, text)
    assert owner(7, "eth0", tmp_path) is None


def test_sqm_comes_before_the_daemon_that_sets_addresses(tmp_path):
    for path, text in OWNERS.values():
        write(tmp_path, path, text)
    assert owner(7, "eth0", tmp_path) == "sqm"


def test_sysctls_that_are_there(tmp_path):
    write(tmp_path, "proc/sys/net/core/default_qdisc", "fq_codel\n")
    write(tmp_path, "proc/sys/net/ipv4/udp_backpressure_interval", "100\n")
    assert sysctls(tmp_path) == {
        "net.core.default_qdisc": "fq_codel",
        "net.ipv4.udp_backpressure_interval": "100",
    }


def test_the_clock_as_the_kernel_writes_it(tmp_path):
    # every kernel with high-resolution timers: 64 ns ticks
    write(tmp_path, "proc/net/psched", "000003e8 00000040 000f4240 3b9aca00\n")
    assert ticks_per_us(tmp_path) == (125, 8)
    write(tmp_path, "proc/net/psched", "nonsense")
    assert ticks_per_us(tmp_path) is None


def test_speed_only_for_the_very_device(tmp_path, netns):
    inside, other = netns.new(), netns.new()
    netns.link((inside, "a0"), (other, "b0"))
    (link,) = inside.json("ip", "-j", "link", "show", "a0")
    write(tmp_path, "sys/class/net/a0/speed", "2500\n")
    write(tmp_path, "sys/class/net/a0/ifindex", "99999\n")
    namespace = Namespace.named(inside.name)
    assert gather(namespace, tmp_path).facts.device("a0").speed is None
    write(tmp_path, "sys/class/net/a0/ifindex", f"{link['ifindex']}\n")
    assert gather(namespace, tmp_path).facts.device("a0").speed == 2_500_000_000
    write(tmp_path, "sys/class/net/a0/speed", "-1\n")  # virtio
    assert gather(namespace, tmp_path).facts.device("a0").speed is None


def test_openwrt(tmp_path):
    write(tmp_path, "etc/openwrt_release", "DISTRIB_ID='OpenWrt'\nDISTRIB_RELEASE='24.10.0'\n")
    assert gather(None, tmp_path).facts.openwrt == "24.10.0"
    assert gather().facts.openwrt is None


def test_what_ingress_takes_is_found_by_trying(netns):
    facts = gather(Namespace.named(netns.new().name)).facts
    assert {"u32", "bpf"} <= set(facts.filters)
    assert "mirred" in facts.actions
    assert facts.links == ("veth", "ifb")
    assert facts.nft is (shutil.which("nft") is not None)


def test_what_a_full_kernel_has(run_in_guest):
    script = "from tcc.facts.kinds import probe; k = probe(); print(*k.filters, *k.actions, k.nft)"
    done = run_in_guest([sys.executable, "-c", script])
    assert done.status == 0, done.stderr
    told = done.stdout.decode() if isinstance(done.stdout, bytes) else done.stdout
    assert told.split() == [
        "bpf", "flower", "fw", "matchall", "u32", "ctinfo", "gact", "mirred", "skbedit", "True",
    ]  # fmt: skip
