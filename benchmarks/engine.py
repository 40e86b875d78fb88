"""CAKE in ns a packet beside plain C, the event loop, memory and creation time of an instance.

Every figure is processor time, the least of runs made in turn (ours, C, ours, C, ...), each in a
process of its own, as where things lie in memory differs between processes: what the code takes
when nothing is in its way.  The yardstick, `yardstick.c`, does the same for each packet and must
come to the same number of deliveries and drops, or nothing is printed.

Exit status 1 if a goal is missed: 250 ns a packet and 1.2 times the C for 64 flows in one tin.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tcc.engine import compiled
from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.qdisc import Cake
from tcc.engine.drive import Load, Relay
from tcc.engine.events import Schedule
from tcc.engine.packet import PacketPool
from tcc.engine.random import Random

RATE, GAP, FILL, PER_HOST = 125_000_000, 12_112, 256, 8
BESTEFFORT, DIFFSERV4, PRECEDENCE = 3, 1, 4
FLOWS, TRIPLE = 4, 7
TOS = {BESTEFFORT: (0,), DIFFSERV4: (0, 0x20, 0x88, 0xB8)}
GOAL_NS, GOAL_RATIO = 250, 1.2


def ours(flows: int, tins: int, mode: int, steps: int) -> tuple[float, tuple[int, int, int]]:
    """Return ns a packet, and what happened: delivered, left, dropped."""
    pool = PacketPool(8192)
    cake = Cake(pool, Random(1), CakeConfig(rate=RATE, tins=tins, flow_mode=mode))
    load = Load(cake, pool, flows, PER_HOST, TOS[tins])
    load.fill(FILL)
    load.run(steps // 10, GAP)
    before = time.process_time_ns()
    load.run(steps, GAP)
    spent = time.process_time_ns() - before
    return spent / steps, (load.delivered, cake.qlen, cake.drops)


def ours_apart(flows: int, tins: int, mode: int, steps: int) -> tuple[float, tuple[int, int, int]]:
    """Return what `ours` does, of a process that does nothing else."""
    words = [sys.executable, __file__, "--one", *map(str, (flows, tins, mode, steps))]
    result = subprocess.run(words, check=True, capture_output=True, text=True)
    ns, *counts = result.stdout.split()
    return float(ns), (int(counts[0]), int(counts[1]), int(counts[2]))


def build(folder: str) -> str | None:
    """Compile the yardstick; return its path, None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    program = str(Path(folder) / "yardstick")
    source = str(Path(__file__).with_name("yardstick.c"))
    subprocess.run([compiler, "-O3", "-o", program, source], check=True)
    return program


def theirs(
    program: str, flows: int, tins: int, mode: int, steps: int
) -> tuple[float, tuple[int, int, int]]:
    """Return the same of the yardstick."""
    words = (
        flows, PER_HOST, 1 if tins == BESTEFFORT else 4, int(mode == TRIPLE), RATE, GAP, FILL,
        steps // 10, steps,
    )  # fmt: skip
    result = subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True)
    ns, *counts = result.stdout.split()
    return float(ns), (int(counts[0]), int(counts[1]), int(counts[2]))


def compare(program: str | None, steps: int, repeat: int) -> bool:
    """Print the table; say whether the goals are met."""
    print(f"{'flows':>6} {'tins':<10} {'fairness':<9} {'ns/packet':>9} {'plain C':>8} {'ratio':>6}")
    met = True
    for flows in (16, 64, 1000):
        for tins, tin_name in ((BESTEFFORT, "besteffort"), (DIFFSERV4, "diffserv4")):
            for mode, mode_name in ((FLOWS, "flows"), (TRIPLE, "hosts")):
                mine, its = [], []
                for _ in range(repeat):
                    ns, happened = ours_apart(flows, tins, mode, steps)
                    mine.append(ns)
                    if program is not None:
                        ns, expected = theirs(program, flows, tins, mode, steps)
                        if happened != expected:
                            sys.exit(f"the yardstick did other work: {expected}, not {happened}")
                        its.append(ns)
                ns = min(mine)
                ratio = ns / min(its) if its else 0
                print(
                    f"{flows:>6} {tin_name:<10} {mode_name:<9} {ns:>9.0f} "
                    f"{min(its) if its else 0:>8.0f} {ratio:>6.2f}"
                )
                if (flows, tins) == (64, BESTEFFORT):
                    met = met and ns <= GOAL_NS and ratio <= GOAL_RATIO
    return met


def events(count: int) -> float:
    """Return events per second of processor time: delay lines and a timer that is put off."""
    pool = PacketPool(1024)
    schedule = Schedule(pool)
    relays = [Relay(schedule, pool, 16, 1_000_000 + 7 * n) for n in range(32)]
    before = time.process_time_ns()
    schedule.run(count * 1_000_000 // (16 * len(relays)))
    return schedule.fired * 1e9 / (time.process_time_ns() - before)


def instances(count: int) -> tuple[float, float]:
    """Return resident bytes and microseconds that one more CAKE takes, its tables touched."""
    pool = PacketPool(64)
    kept = []
    config = CakeConfig(rate=RATE, tins=PRECEDENCE)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent = 0
    for number in range(count):
        start = time.process_time_ns()
        cake = Cake(pool, Random(number), config)
        spent += time.process_time_ns() - start
        load = Load(cake, pool, 8192, 1, range(0, 256, 32))
        load.run(32768 if compiled() else 64, GAP)
        kept.append(cake)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return grown / count, spent / count / 1000


def main() -> int:
    """Print every figure; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=400_000 if compiled() else 20_000)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--one", type=int, nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        ns, counts = ours(*arguments.one)
        print(ns, *counts)
        return 0
    print(f"engine: {'compiled' if compiled() else 'interpreted'}")
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        if program is None:
            print("no C compiler: no yardstick")
        met = compare(program, arguments.steps, arguments.repeat)
    print(f"event loop: {events(arguments.steps) / 1e6:.2f} M events a second")
    size, micro = instances(50 if compiled() else 5)
    print(
        f"one CAKE: {size / 2**20:.2f} MiB resident with every tin in use, made in {micro:.0f} us"
    )
    if not compiled():
        return 0
    print(
        f"goals (64 flows, one tin: {GOAL_NS} ns, {GOAL_RATIO} x C): {'met' if met else 'missed'}"
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
