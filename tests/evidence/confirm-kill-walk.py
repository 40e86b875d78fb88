"""`apply --confirm` is killed (-9) before every step: its guard restores all, packets come in."""

import signal
import sys
import time
from pathlib import Path

from _machine import ROOT, Machine, machine

from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.netlink.namespace import Namespace

POLICY = """
link wan {
    device "a0"
    egress { bandwidth 30mbit; qdisc tbf { inner bfifo } }
    ingress { bandwidth 20mbit; qdisc tbf { inner bfifo } }
}
"""
STEPPING = [sys.executable, str(ROOT / "tests/apply/dying_step.py")]
PATIENCE = 30


def settled(journal: Journal) -> float | None:
    """Seconds until nothing is half done; None when that does not come."""
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if journal.unfinished() is None:
            pending = journal.on_trial()
            if pending is None or journal.steps():
                return time.monotonic() - began
        time.sleep(0.02)
    return None


def alive(world: Machine) -> bool:
    """Whether packets come in: an answer that waits in a root just being replaced goes with it."""
    return world.reached(0) or world.reached(0)


def main() -> int:
    tried = flowing = old = new = 0
    slowest = 0.0
    with machine("a0") as world:
        world.here.run("tc", "qdisc", "add", "dev", "a0", "clsact")
        journal = Journal(world.folder / "state", identify(Namespace.named(world.here.name)))
        before = world.everything()
        path = world.policy(POLICY)
        while True:
            words = [str(tried), "apply", path, "--yes", "--confirm", "600s"]
            died = world.tcc(*words[1:], command=[*STEPPING, words[0]])
            if died.returncode == 0:
                break
            assert died.returncode == -signal.SIGKILL, died.stderr
            tried += 1
            flowing += alive(world)
            took = settled(journal)
            slowest = max(slowest, PATIENCE if took is None else took)
            flowing += alive(world)
            if journal.steps():
                new += world.tcc("plan", path, "--detailed-exitcode").returncode == 0
                world.tcc("rollback")
            else:
                old += world.everything() == before
        world.tcc("rollback")
        left = [one.name for one in Path(journal.path).iterdir() if one.name.endswith(".new")]
        restored = world.everything() == before
    print(
        f"killed before {tried} steps, the deadline ten minutes away: the old state {old} times, "
        f"the new one, on trial, {new} times; packets came in {flowing} of {2 * tried} times; "
        f"slowest way back {slowest:.2f} s; files half written and left: {len(left)}"
    )
    good = tried >= 20 and old + new == tried and flowing == 2 * tried and restored
    return 0 if good and slowest < PATIENCE else 1


sys.exit(main())
