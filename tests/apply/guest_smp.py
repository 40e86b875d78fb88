"""In a guest with several processors: tiers on cake_mq, all its queues at work at once.

Also what only a stock kernel has: tunnels of many kinds, and WireGuard.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc.facts.gather import gather
from tests.apply import guest_tiers
from tests.apply.guest_tiers import FLOWS, POLICY, World, kinds, one_flow, run

QUEUES = 4
RATE = 2_000_000  # bit/s: what this many senders exceed on any machine
SENDERS, SECONDS, SIZE = 16, 6, 1000
CHOSEN = ("plain", "voice by port", "voice by port 6", "bulk")
TUNNELS = """
ip link add t-ipip type ipip local 198.51.100.1 remote 198.51.100.2
ip link add t-gre type gre local 198.51.100.1 remote 198.51.100.2
ip link add t-gre6 type ip6gre local fd02::1 remote fd02::2
ip link add t-vxlan type vxlan id 7 dstport 4789 remote 192.168.1.2
ip link add t-geneve type geneve id 7 remote 198.51.100.2
ip link add t-wg type wireguard
"""


def queues():
    """Bytes that the CAKE of each queue has sent."""
    shown = json.loads(run("tc", "-s", "-j", "qdisc", "show", "dev", "wan0"))
    return [one["bytes"] for one in shown if one["kind"] == "cake"]


def at_work():
    """All queues busy at once: bytes of each, and the rate that they come to together."""
    words = ["ip", "netns", "exec", "lan", sys.executable, "-c", BLAST, str(SENDERS), str(SIZE)]
    senders = subprocess.Popen(words, start_new_session=True)
    try:
        while sum(queues()) < RATE // 8:  # until all have begun, for a second of the line's time
            time.sleep(0.2)
        before, began = queues(), time.monotonic()
        time.sleep(SECONDS)
        after, ended = queues(), time.monotonic()
    finally:
        os.killpg(senders.pid, signal.SIGKILL)
        senders.wait()
    grown = [now - then for now, then in zip(after, before, strict=True)]
    return {"bytes": grown, "rate": sum(grown) * 8 / (ended - began)}


def carriers():
    """Which devices carry the tunnels, by facts."""
    for line in TUNNELS.strip().splitlines():
        run(*line.split())
    key = "YAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
    run(sys.executable, "-c", PEER, key)
    return {
        device.name: device.carriers
        for device in gather().facts.devices
        if device.name.startswith("t-")
    }


BLAST = """
import os, socket, sys, time
count, size = map(int, sys.argv[1:])
for number in range(count):
    if number and os.fork() == 0:
        break
else:
    number = 0
os.sched_setaffinity(0, {number % os.cpu_count()})
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.bind(("192.168.1.2", 7000 + number))
while True:
    one.sendto(bytes(size), ("198.51.100.2", 9))
    time.sleep(0.005)
"""
PEER = """
import base64, socket, struct, sys
from tcc.netlink import wireguard
from tcc.netlink.attributes import attribute, encode
from tcc.netlink.messages import Message
from tcc.netlink.transport import RouteSocket
address = struct.pack("=H", socket.AF_INET) + struct.pack(">H4s8x", 51820, bytes([198, 51, 100, 2]))
peer = attribute(1, base64.b64decode(sys.argv[1])) + attribute(4, address)
body = struct.pack("=BBH", 1, 1, 0)  # WG_CMD_SET_DEVICE
body += attribute(1, struct.pack("=I", socket.if_nametoindex("t-wg")))
body += attribute(8 | 0x8000, attribute(0x8000, peer))
with RouteSocket(protocol=16) as generic:
    generic.request(Message(wireguard._number(generic), 0, body))
"""


def tried(world):
    report = {"processors": os.cpu_count()}
    policy = POLICY.replace("qdisc cake", "qdisc cake_mq")
    report["apply"] = world.apply(policy)
    report["kinds"] = [kinds("wan0"), kinds("ifb-wan0")]
    report["flows"] = {name: one_flow(FLOWS[name]) for name in CHOSEN}
    report["again"] = world.apply(policy)[0]
    report["slower"] = world.apply(policy.replace("20mbit", f"{RATE}bit"))
    report["work"] = at_work()
    report["back"] = [world.back(), world.back()]
    report["carriers"] = carriers()
    return report


def main():
    wide = f"numtxqueues {QUEUES} numrxqueues {QUEUES}"
    setup = guest_tiers.SETUP.replace(
        "ip link add lan0 type veth peer name host0 netns lan",
        f"ip link add lan0 {wide} type veth peer name host0 {wide} netns lan",
    )
    with guest_tiers.router(setup), tempfile.TemporaryDirectory() as folder:
        print(json.dumps(tried(World(Path(folder)))))


if __name__ == "__main__":
    main()
