"""In the guest: rates of CAKE and cake_mq set while packets pass; what tc and the receiver say."""

import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc import api
from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.apply.transaction import Transaction
from tcc.facts.gather import gather
from tcc.lower.live import Alteration
from tcc.plan.diff import diff
from tcc.source import Source
from tcc.status.altering import Goal, set_live
from tcc.status.drift import drift
from tcc_plugins.netlink import Host

POLICY = """
link wan {
    device "v0"
    egress  { bandwidth 20mbit within 5mbit..40mbit; tiers diffserv4; qdisc cake }
    ingress { bandwidth 20mbit; qdisc cake }
}
"""
QUEUES = 'link wan { device "v0"; egress { bandwidth 20mbit; qdisc cake_mq } }\n'
RATES = ("18mbit", "9mbit", "30mbit", "12.5mbit", "40mbit", "6mbit")
PACKETS, GAP = 1500, 0.002  # 4 Mbit/s: less than the least rate
SETUP = """
ip netns add far
ip link add v0 numtxqueues 4 numrxqueues 4 type veth peer name v1 numtxqueues 4 netns far
ip address add 10.9.0.1/24 dev v0
ip -n far address add 10.9.0.2/24 dev v1
ip link set lo up
ip link set v0 up
ip -n far link set v1 up
"""
RECEIVER = """
import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
one.bind(("10.9.0.2", 7))
print("ready", flush=True)
count = 0
while one.recv(2000) != b"end":
    count += 1
print(count, flush=True)
"""


def run(words):
    return subprocess.run(words.split(), capture_output=True, text=True, check=True).stdout


def root():
    [found] = [
        one for one in json.loads(run("tc -s -j qdisc show dev v0"))
        if one.get("root")
    ]  # fmt: skip
    return found


class World:
    def __init__(self, folder):
        self.journal = Journal(folder, identify(None))

    def apply(self, policy):
        built = api.load(Source("test.tcc", policy))
        wanted, found = api.lower(built, "netlink", gather().facts)
        with Host() as host:
            plan = diff(host.observe(wanted), wanted, host)
            links = {place.device: "wan" for place in wanted}
            report = Transaction(host, self.journal, "tcc apply", links).run(plan)
        assert report.outcome.name == "DONE", (found, report)

    def set(self, clause, value, direction="egress"):
        text = f'link x {{ device "x"; {direction} {{ {clause} {value} }} }}\n'
        policy = api.load(Source("set", text)).policy
        goal = Goal(
            "wan", direction, Alteration(clause, getattr(policy.links[0], direction)), value
        )
        with Host() as host:
            done = set_live(host, self.journal, "tcc set", goal, lambda _: 1514)
        return [done.report.outcome.name, [one.message for one in done.report.found]]

    def drift(self):
        with Host() as host:
            found, _ = drift(self.journal, host)
        changes = [f"{one.device} {one.at} {one.what} {one.found}" for one in found.changes]
        return [found.state, [one.value for one in found.settings], changes]


def under_traffic(world):
    """Send; meanwhile set one rate after another."""
    receiver = subprocess.Popen(
        ["ip", "netns", "exec", "far", sys.executable, "-c", RECEIVER],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    receiver.stdout.readline()
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send():
        for _ in range(PACKETS):
            sender.sendto(b"x" * 972, ("10.9.0.2", 7))
            time.sleep(GAP)

    before = root()
    thread = threading.Thread(target=send)
    thread.start()
    seen = []
    for rate in RATES:
        time.sleep(PACKETS * GAP / 10)
        answer = world.set("bandwidth", rate)
        now = root()
        seen.append([rate, *answer, now["options"]["bandwidth"], now["packets"], now["handle"]])
    thread.join()
    time.sleep(1)
    sender.sendto(b"end", ("10.9.0.2", 7))
    after = root()
    return {
        "seen": seen,
        "before": before,
        "after": after,
        "received": int(receiver.communicate(timeout=20)[0]),
    }


def main():
    for line in SETUP.strip().splitlines():
        run(line)
    time.sleep(2)
    report = {}
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder))
        world.apply(POLICY)
        report["cake"] = under_traffic(world)
        report["drift"] = world.drift()
        report["rtt"] = [world.set("rtt", "20ms"), root()["options"]["rtt"]]
        report["ack-filter"] = [world.set("ack-filter", "on"), root()["options"]["ack-filter"]]
        report["tiers"] = world.set("tiers", "diffserv8")
        report["outside"] = world.set("bandwidth", "50mbit")
        report["ingress"] = world.set("bandwidth", "7mbit", "ingress")
        run("tc qdisc change dev v0 root cake bandwidth 33mbit")  # as an autorate daemon does
        report["daemon"] = world.drift()
        run("tc qdisc change dev v0 root cake bandwidth 44mbit")
        report["daemon outside"] = world.drift()
        world.apply(QUEUES)
        report["cake_mq"] = under_traffic(world)
        report["cake_mq drift"] = world.drift()
    print(json.dumps(report))


main()
