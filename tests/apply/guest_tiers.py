"""A router with NAT between two namespaces: which tin each flow is in, by CAKE's own counters."""

import json
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc import api
from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.apply.transaction import Transaction
from tcc.apply.undo import roll_back
from tcc.facts.gather import gather
from tcc.plan.diff import diff
from tcc.source import Source
from tcc_plugins.netlink import Host

POLICY = """
link wan {
    device "wan0"
    framing ethernet
    role router
    egress { bandwidth 20mbit; tiers diffserv4; fairness per-host; qdisc cake }
    ingress { bandwidth 50mbit; tiers diffserv4; fairness per-host; dscp wash; qdisc cake }
}
tier voice { match dscp ef; match udp remote port 3478..3481 }
tier video { match local address 192.168.1.3; match local subnet fd01::/64 udp remote port 7000 }
tier bulk { match tcp remote port 6881..6999 }
"""
WITH_QUEUES = POLICY.replace("qdisc cake", "qdisc cake_mq")
WITH_QUEUES = WITH_QUEUES.replace(
    "role router", "role router; connection-mark dscp 0x3f00 valid 0x4000"
)
QUEUES = """
link wan { device "wan0"; role router; egress { bandwidth 2gbit; tiers diffserv4; qdisc cake_mq } }
"""
PACKETS = 20

SETUP = """
ip netns add lan
ip netns add far
ip link add lan0 type veth peer name host0 netns lan
ip link add wan0 numtxqueues 4 numrxqueues 4 type veth peer name net0 netns far
ip address add 192.168.1.1/24 dev lan0
ip address add 198.51.100.1/24 dev wan0
ip address add fd01::1/64 dev lan0 nodad
ip address add fd02::1/64 dev wan0 nodad
ip link set lan0 up
ip link set wan0 up
ip link set lo up
ip -n lan address add 192.168.1.2/24 dev host0
ip -n lan address add 192.168.1.3/24 dev host0
ip -n lan address add fd01::2/64 dev host0 nodad
ip -n lan link set host0 up
ip -n lan route add default via 192.168.1.1
ip -n lan route add default via fd01::1
ip -n far address add 198.51.100.2/24 dev net0
ip -n far address add fd02::2/64 dev net0 nodad
ip -n far link set net0 up
ip -n far link set lo up
ip -n far route add fd01::/64 via fd02::1
sysctl -qw net.ipv4.ip_forward=1
sysctl -qw net.ipv6.conf.all.forwarding=1
nft add table ip nat
nft add chain ip nat post { type nat hook postrouting priority srcnat ; }
nft add rule ip nat post oifname wan0 masquerade
"""

ECHO = """
import select, socket, sys
open_ = []
for port in map(int, sys.argv[1:]):
    one = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    one.setsockopt(socket.IPPROTO_IP, socket.IP_RECVTOS, 1)
    one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
    one.bind(("::", port))
    open_.append(one)
server = socket.create_server(("::", 6881), family=socket.AF_INET6, dualstack_ipv6=True)
open_.append(server)
print("ready", flush=True)
while True:
    for one in select.select(open_, [], [])[0]:
        if one is server:
            open_.append(server.accept()[0])
        elif one.type == socket.SOCK_STREAM:
            data = one.recv(100)
            if data:
                one.send(data)
            else:
                open_.remove(one)
                one.close()
        else:
            data, extra, _, who = one.recvmsg(100, 100)
            tos = int.from_bytes(extra[0][2][:1], "little")
            one.sendto(f"{tos} {who[0]}".encode(), who)
"""
CLIENT = """
import json, socket, sys
kind, source, to, port, tos, count = sys.argv[1:]
family = socket.AF_INET6 if ":" in to else socket.AF_INET
one = socket.socket(family, socket.SOCK_STREAM if kind == "tcp" else socket.SOCK_DGRAM)
six = family == socket.AF_INET6
level = socket.IPPROTO_IPV6 if six else socket.IPPROTO_IP
one.setsockopt(level, socket.IPV6_TCLASS if six else socket.IP_TOS, int(tos))
one.setsockopt(level, socket.IPV6_RECVTCLASS if six else socket.IP_RECVTOS, 1)
one.bind((source, 0))
one.settimeout(2)
one.connect((to, int(port)))
there, here = set(), set()
for _ in range(int(count)):
    one.send(b"x" * 50)
    if kind == "tcp":
        one.recv(100)
    else:
        data, extra, _, _ = one.recvmsg(100, 100)
        there.add(data.decode())
        here.add(int.from_bytes(extra[0][2][:1], "little"))
print(json.dumps([sorted(there), sorted(here)]))
"""
PUSH = """
import socket, sys, time
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("0.0.0.0", 3479))
for _ in range(int(sys.argv[1])):
    one.sendto(b"x" * 50, ("198.51.100.1", 9000))
    time.sleep(0.01)
"""

# name: kind, source, destination, port, TOS that the sender sets
FLOWS = {
    "plain": ("udp", "192.168.1.2", "198.51.100.2", 6000, 0),
    "plain 6": ("udp", "fd01::2", "fd02::2", 6000, 0),
    "voice by port": ("udp", "192.168.1.2", "198.51.100.2", 3478, 0),
    "voice by port 6": ("udp", "fd01::2", "fd02::2", 3478, 0),
    "voice by dscp": ("udp", "192.168.1.2", "198.51.100.2", 6000, 0xB8),
    "voice by dscp 6": ("udp", "fd01::2", "fd02::2", 6000, 0xB8),
    "video by address before NAT": ("udp", "192.168.1.3", "198.51.100.2", 6000, 0),
    "video by subnet 6": ("udp", "fd01::2", "fd02::2", 7000, 0),
    "bulk": ("tcp", "192.168.1.2", "198.51.100.2", 6881, 0),
    "bulk 6": ("tcp", "fd01::2", "fd02::2", 6881, 0),
}
TINS = ("bulk", "besteffort", "video", "voice")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words}: {done.stderr}")
    return done.stdout


def tins(device):
    """Packets that each tin has sent; of cake_mq, of all its queues."""
    shown = json.loads(run("tc", "-s", "-j", "qdisc", "show", "dev", device))
    sent = [[tin["sent_packets"] for tin in one["tins"]] for one in shown if "tins" in one]
    return [sum(column) for column in zip(*sent, strict=True)]


def kinds(device):
    shown = json.loads(run("tc", "-j", "qdisc", "show", "dev", device))
    return [one["kind"] for one in shown if one["kind"].startswith("cake")]


def grown(device, before):
    return {
        name: now - then
        for name, now, then in zip(TINS, tins(device), before, strict=True)
        if now > then
    }


def one_flow(flow):
    kind, source, to, port, tos = flow
    before, before_in = tins("wan0"), tins("ifb-wan0")
    words = [kind, source, to, str(port), str(tos), str(PACKETS)]
    told = run("ip", "netns", "exec", "lan", sys.executable, "-c", CLIENT, *words)
    there, here = json.loads(told)
    return {
        "egress": grown("wan0", before),
        "ingress": grown("ifb-wan0", before_in),
        "seen there": there,
        "seen here": here,
    }


def pushed():
    before = tins("ifb-wan0")
    run("ip", "netns", "exec", "far", sys.executable, "-c", PUSH, str(PACKETS))
    return grown("ifb-wan0", before)


def priorities():
    """IPv4 packets marked AF41 through cake_mq: with our filter, and without it."""
    found = []
    for _ in range(2):
        before = tins("wan0")
        words = ["udp", "192.168.1.2", "198.51.100.2", "6000", str(34 << 2), str(PACKETS)]
        run("ip", "netns", "exec", "lan", sys.executable, "-c", CLIENT, *words)
        found.append(grown("wan0", before))
        subprocess.run(
            ["tc", "filter", "delete", "dev", "wan0", "egress", "pref", "50"], check=False
        )
    return found


class World:
    def __init__(self, state):
        self.journal = Journal(state, identify(None))

    def apply(self, policy):
        built = api.load(Source("test.tcc", policy))
        wanted, found = api.lower(built, "netlink", gather().facts)
        with Host() as host:
            plan = diff(host.observe(wanted), wanted, host)
            report = Transaction(host, self.journal, "tcc apply test.tcc").run(plan)
        told = [f"{one.code}: {one.message}" for one in (*found, *report.found)]
        return [report.outcome.name, told, [step.verb.value for step in plan.operations]]

    def back(self):
        with Host() as host:
            return roll_back(host, self.journal, "tcc rollback").outcome.name


def shown():
    filters = run("tc", "filter", "show", "dev", "wan0", "ingress")
    return [
        run("tc", "-j", "qdisc"),
        run("ip", "-j", "link"),
        filters,
        run("nft", "list", "ruleset"),
    ]


def tried(world):
    before = shown()
    report = {"apply": world.apply(POLICY), "again": world.apply(POLICY)}
    report["rules"] = run("nft", "list", "table", "inet", "tcc-wan0")
    report["filter"] = run("tc", "filter", "show", "dev", "wan0", "ingress")
    report["flows"] = {name: one_flow(flow) for name, flow in FLOWS.items()}
    report["pushed"] = pushed()
    run("nft", "flush", "chain", "inet", "tcc-wan0", "leaving")
    report["healed"] = world.apply(POLICY)
    report["back"] = [world.back(), world.back()]
    report["exact"] = shown() == before
    if not report["exact"]:
        report["was"], report["is"] = before, shown()
    report["queues"] = world.apply(QUEUES)
    report["priorities"] = priorities()
    report["one queue"] = [world.apply(POLICY)[0], kinds("ifb-wan0")]
    single = shown()
    report["mq apply"] = world.apply(WITH_QUEUES)
    report["mq again"] = world.apply(WITH_QUEUES)
    report["mq filter"] = run("tc", "filter", "show", "dev", "wan0", "ingress")
    report["mq kinds"] = [kinds("wan0"), kinds("ifb-wan0")]
    report["mq flows"] = {name: one_flow(flow) for name, flow in FLOWS.items()}
    report["single again"] = [world.back(), shown() == single, one_flow(FLOWS["voice by port"])]
    return report


@contextmanager
def router(setup=SETUP):
    """The router between its two namespaces, and a server in the far one."""
    for line in setup.strip().splitlines():
        run(*line.split())
    words = ["ip", "netns", "exec", "far", sys.executable, "-c", ECHO, "6000", "3478", "7000"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE)
    try:
        server.stdout.readline()
        time.sleep(3)  # until the routers' link-local addresses have been proved their own
        yield
    finally:
        server.kill()


def main():
    with router(), tempfile.TemporaryDirectory() as folder:
        print(json.dumps(tried(World(Path(folder)))))


if __name__ == "__main__":
    main()
