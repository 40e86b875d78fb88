"""In the guest: each kind of qdisc after some traffic, as tc tells it and as `tcc status` does."""

import json
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.status.metrics import as_openmetrics
from tcc.status.model import as_json
from tcc.status.observer import Choice, Observer
from tcc.status.reader import Reader
from tcc.status.text import as_text
from tcc_plugins.netlink import Host

# name: words of `tc qdisc replace dev v0 root handle 1:`, and of one inside
SETUPS = {
    "cake diffserv4": ["cake bandwidth 4mbit diffserv4 rtt 20ms"],
    "cake besteffort": ["cake bandwidth 4mbit besteffort"],
    "cake diffserv8": ["cake bandwidth 4mbit diffserv8"],
    "cake diffserv3": ["cake bandwidth 4mbit diffserv3 ack-filter"],
    "cake unlimited": ["cake"],
    "cake_mq": ["cake_mq bandwidth 4mbit diffserv4"],
    "tbf and fq_codel": [
        "tbf rate 4mbit burst 5000 latency 50ms",
        "fq_codel limit 100 memory_limit 60000",
    ],
    "tbf of 40 gbit": ["tbf rate 40gbit burst 50000 limit 100000"],
    "fq_codel": ["fq_codel"],
    "cake in htb": ["htb default 1", "cake bandwidth 4mbit diffserv4"],
}
DSCPS = (0, 8, 34, 46)
PACKETS = 300


def run(words: str) -> str:
    done = subprocess.run(words.split(), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words}: {done.stderr}")
    return done.stdout


def told() -> dict[str, object]:
    """What tcc says of v0, in each of its forms."""
    with Reader() as reader, Host() as system, tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder), identify(None))
        status = Observer(reader, system, journal, Choice(frozenset({"v0"}))).status()
    return {
        "tcc": json.loads(as_json(status)),
        "metrics": as_openmetrics(status),
        "text": as_text(status, queues=True),
    }


def traffic() -> None:
    """Send more than the rate for a while, in every tin, by several flows."""
    sockets = []
    for dscp in DSCPS:
        for markable in (0, 2):  # ECN: not capable, or ECT(0)
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            one.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, dscp << 2 | markable)
            one.connect(("10.9.0.2", 9))
            sockets.append(one)
    for _ in range(PACKETS):
        for one in sockets:
            one.send(b"x" * 600)
        time.sleep(0.004)
    time.sleep(3)


def both(setup: list[str]) -> dict[str, object]:
    for number, words in enumerate(setup):
        parent = "parent 1:1 handle 10:" if number else "root handle 1:"
        run(f"tc qdisc replace dev v0 {parent} {words}")
        if words.startswith("htb"):
            run("tc class add dev v0 parent 1: classid 1:1 htb rate 8mbit")
    traffic()
    report = {
        "tc": json.loads(run("tc -s -j qdisc show dev v0")),
        **told(),
    }
    run("tc qdisc delete dev v0 root")
    return report


def main() -> None:
    run("ip link add v0 numtxqueues 4 numrxqueues 4 type veth peer name v1 numtxqueues 4")
    run("ip address add 10.9.0.1/24 dev v0")
    run("ip link set v0 up")
    run("ip link set v1 up")
    run("ip neighbour add 10.9.0.2 lladdr 02:00:00:00:00:02 dev v0 nud permanent")
    print(json.dumps({name: both(setup) for name, setup in SETUPS.items()}))


main()
