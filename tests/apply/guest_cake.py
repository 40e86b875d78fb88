"""Transactions with the kinds that only a full kernel has: exact ways back, from everywhere."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.apply.transaction import Outcome, Transaction
from tcc.apply.undo import roll_back
from tcc.plan.diff import diff
from tcc.plan.state import Place, QdiscItem
from tcc_plugins.cake import CakeSettings
from tcc_plugins.fq_codel import FqCodelSettings
from tcc_plugins.netlink import Host
from tcc_plugins.tbf import TbfSettings
from tests.apply.faults import Refusing, transport

# What tc made before; the last word says whether it can be put back to the byte.
BEFORE = {
    "default": ([], True),
    "cake with everything": (
        ["root handle 5: cake bandwidth 37mbit diffserv8 dual-srchost nat wash ingress "
         "ack-filter-aggressive no-split-gso rtt 33ms overhead 44 mpu 84 atm memlimit 5mb "
         "fwmark 0xf0"],
        True,
    ),
    "cake, raw": (["root handle 1: cake bandwidth 20mbit raw besteffort flowblind"], True),
    "cake of the kernel's numbering": (["root cake unlimited"], True),
    "cake_mq": (["root handle 1: cake_mq bandwidth 1gbit diffserv4"], True),
    "fq_codel": (["root handle 1: fq_codel limit 300 flows 64 target 9ms ce_threshold 2ms"], True),
    "sfq": (["root handle 1: sfq perturb 10 quantum 3000 flows 90 depth 50 limit 600"], True),
    "tbf with sfq": (
        ["root handle 1: tbf rate 9mbit burst 9k limit 90k", "parent 1:1 handle 9: sfq limit 50"],
        True,
    ),
    "codel": (["root handle 1: codel limit 77 target 7ms interval 77ms ecn"], False),
    "fq": (["root handle 1: fq limit 777 flow_limit 77 quantum 3000 maxrate 9mbit"], True),
    "pie": (["root handle 1: pie limit 77 target 17ms tupdate 17ms alpha 3 beta 21 ecn"], True),
    "fq_pie": (["root handle 1: fq_pie limit 777 flows 64 target 17ms"], False),
    "pfifo_fast": (["root handle 1: pfifo_fast"], True),
    "pfifo_head_drop": (["root handle 1: pfifo_head_drop limit 77"], True),
    "mq": (["root handle 1: mq"], True),
    "mq with a queue of ours": (
        ["root handle 1: mq", "parent 1:2 handle 8: fq_codel limit 55"], True
    ),
    "netem": (["root handle 1: netem delay 10ms 2ms distribution normal"], False),
    "prio": (["root handle 1: prio bands 4"], False),
    "htb": (["root handle 1: htb default 1"], False),
    "red": (["root handle 1: red limit 60000 avpkt 1000 bandwidth 10mbit"], False),
}  # fmt: skip


WALKED = {"default", "cake with everything", "cake_mq", "tbf with sfq"}
"""Where every single message is refused in turn; elsewhere the way there and back will do."""


def item(kind, settings):
    return QdiscItem(kind, 1 << 16, settings)


WANTED = {
    "cake": {Place("v0", "root"): item("cake", CakeSettings(2_500_000, diffserv=1, nat=False))},
    "cake_mq": {Place("v0", "root"): item("cake_mq", CakeSettings(25_000_000))},
    "tbf with fq_codel": {
        Place("v0", "root"): item("tbf", TbfSettings(2_500_000, 99_000, 9_000)),
        Place("v0", "1:1"): QdiscItem("fq_codel", 16 << 16, FqCodelSettings()),
        Place("w0", "root"): item("cake", CakeSettings(2_500_000)),
    },
}


def run(words):
    return subprocess.run(words.split(), capture_output=True, text=True, check=True).stdout


def shown():
    return run("tc -j -d qdisc show")


class World:
    def __init__(self, state):
        self.journal = Journal(state, identify(None))

    def apply(self, wanted):
        with Host() as host:
            plan = diff(host.observe(wanted), wanted, host)
            return Transaction(host, self.journal, "tcc apply test.tcc").run(plan)

    def back(self):
        with Host() as host:
            return roll_back(host, self.journal, "tcc rollback")


def devices():
    for name in ("v", "w"):
        peer = f"peer name {name}1 numtxqueues 4"
        run(f"ip link add {name}0 numtxqueues 4 numrxqueues 4 type veth {peer}")
        run(f"ip link set {name}0 up")
        run(f"ip link set {name}1 up")


def clean():
    for name in ("v0", "w0"):
        subprocess.run(
            ["tc", "qdisc", "delete", "dev", name, "root"], capture_output=True, check=False
        )


def texts(report):
    return [f"{found.code}: {found.message}" for found in report.found]


def one(world, before, wanted):
    """Apply, apply again, go back; then refuse every single message."""
    clean()
    for words in BEFORE[before][0]:
        run(f"tc qdisc add dev v0 {words}")
    was = shown()
    report = world.apply(WANTED[wanted])
    if report.outcome is Outcome.REFUSED:
        return {"refused": texts(report), "untouched": shown() == was}
    result = {"first": report.outcome.name, "found": texts(report)}
    result["second"] = world.apply(WANTED[wanted]).outcome.name
    if report.outcome is Outcome.DONE:
        back = world.back()
        result["back"], result["notes"] = back.outcome.name, back.notes
    result["exact"] = shown() == was
    if not result["exact"]:
        result["was"], result["is"] = was, shown()
        return result
    if before in WALKED:
        result["refusals"] = refusals(world, WANTED[wanted], was)
    return result


def refusals(world, wanted, was):
    """Refuse message after message; return how each ended."""
    ended = Counter()
    for number in range(20):
        Refusing.at, Refusing.seen = number, 0
        with transport(Refusing):
            outcome = world.apply(wanted).outcome
        if Refusing.seen <= number:
            break
        ended[f"{outcome.name} {'exact' if shown() == was else 'OTHERWISE'}"] += 1
    if world.journal.last() is not None and outcome is Outcome.DONE:
        world.back()
    return dict(ended)


POLICY = """
link v { device "v0"; egress { bandwidth 50mbit; tiers diffserv4; qdisc cake } }
link w { device "w0"; egress { bandwidth 2gbit; qdisc cake_mq } }
"""


def killed(folder):
    """Kill `tcc apply` before each of its requests; return how it was taken back."""
    clean()
    run("tc qdisc add dev v0 root handle 1: fq_codel limit 300")
    was = shown()
    policy = folder / "killed.tcc"
    policy.write_text(POLICY)
    environment = {**os.environ, "TCC_STATE_DIR": str(folder / "killed")}
    dying = str(Path(__file__).with_name("dying_apply.py"))
    ended = []
    for number in range(5):
        command = [sys.executable, dying, str(number), "apply", str(policy), "--yes"]
        died = subprocess.run(command, env=environment, capture_output=True, check=False)
        if died.returncode != -signal.SIGKILL:
            ended.append([died.returncode, died.stderr.decode()])
            break
        halfway = shown() != was
        back = [sys.executable, "-m", "tcc", "rollback"]
        done = subprocess.run(back, env=environment, capture_output=True, check=False)
        ended.append([done.returncode, halfway, shown() == was])
    return ended


def main():
    devices()
    with tempfile.TemporaryDirectory() as state:
        ended = killed(Path(state))
        clean()
        report = {
            f"{before} -> {wanted}": one(World(Path(state, f"{before} {wanted}")), before, wanted)
            for before in BEFORE
            for wanted in (WANTED if before in WALKED else ["cake"])
        }
    print(json.dumps({"cases": report, "killed": ended}))


main()
