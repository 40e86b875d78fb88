"""The reference dumbbell: how fast the assembled network runs, beside plain C.

32 Cubic uploads and a ping of 100 packets a second through CAKE (diffserv4, triple-isolate) in
both directions, 8 flows a host, 20 ms, 1 Gbit/s, 10 simulated seconds; and 4 flows at 100 Mbit/s.
`dumbbell.c` does the operations that any program must do for it, and is run in turn.

    benchmarks/dumbbell.py [--repeat N] [--interpreted] [--packets N]

`tests/evidence/dumbbell.py` judges the figures.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
SECOND = 1_000_000_000
CASES = ((32, 1_000_000_000, 10), (4, 100_000_000, 10))


class Figures(NamedTuple):
    """Medians of several runs, beside plain C run in turn."""

    packets: float
    """Data packets per CPU-second."""
    events: float
    """Events per CPU-second."""
    speed: float
    """Simulated seconds per CPU-second."""
    plain_packets: float
    plain_events: float
    per_event: float
    """Events per CPU-second, of plain C's."""
    per_packet: float
    memory: int
    """MiB resident at most."""


def run(flows: int, rate: int, seconds: int) -> tuple[float, int, int, float, int]:
    """Run a dumbbell; return CPU seconds, data packets, events, goodput and MiB."""
    from tcc.engine.cake.config import CakeConfig  # noqa: PLC0415
    from tcc.engine.cake.qdisc import Cake  # noqa: PLC0415
    from tcc.engine.simulation import Path as Beyond  # noqa: PLC0415
    from tcc.engine.simulation import Simulation  # noqa: PLC0415

    network = Simulation(seed=1)
    config = CakeConfig(rate=rate // 8, tins=1)
    egress = Cake(network.pool, network.random(8), config)
    ingress = Cake(network.pool, network.random(9), config)
    network.link(egress, ingress, Beyond(rtt=20_000_000, upstream=0))
    for flow in range(flows):
        network.add_tcp("up", "cubic", host=flow // 8, server=flow // 8)
    network.add_ping(10_000_000)
    before = time.process_time()
    result = network.run(seconds * SECOND, interval=seconds * SECOND)  # no series
    spent = time.process_time() - before
    goodput = sum(one.goodput for one in result.flows) / 1e6
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return spent, result.segments, result.events, goodput, memory


def yardstick(folder: str) -> Path:
    """Build the yardstick in C; return where it is."""
    binary = Path(folder) / "dumbbell"
    subprocess.run(["cc", "-O3", "-o", str(binary), str(HERE / "dumbbell.c")], check=True)
    return binary


def plain_c(binary: Path, flows: int, rate: int, seconds: int) -> tuple[float, int, int]:
    """Run the yardstick; return CPU seconds, data packets, events."""
    words = [str(binary), str(flows), "8", str(rate // 8), "20000000", str(seconds)]
    sent, events, spent = subprocess.run(
        words, check=True, capture_output=True, text=True
    ).stdout.split()
    return float(spent), int(sent), int(events)


def compare(binary: Path, flows: int, rate: int, seconds: int, repeat: int) -> Figures:
    """Run both in turn; print and return the medians."""
    rows = []
    for _ in range(repeat):
        spent, packets, events, goodput, memory = run(flows, rate, seconds)
        plain_spent, plain_packets, plain_events = plain_c(binary, flows, rate, seconds)
        ours = (packets / spent, events / spent)
        plain = (plain_packets / plain_spent, plain_events / plain_spent)
        rows.append((*ours, seconds / spent, *plain, ours[1] / plain[1], ours[0] / plain[0]))
    made = Figures(*map(statistics.median, zip(*rows, strict=True)), memory)
    print(
        f"{flows} flows, {rate // 1_000_000} Mbit/s, {seconds} s: "
        f"{made.packets / 1e6:.2f} M data packets per CPU-s, "
        f"{events / packets:.2f} events a packet, {made.speed:.0f} x real time, "
        f"{goodput:.1f} Mbit/s, {made.memory} MiB"
    )
    print(
        f"    plain C: {made.plain_packets / 1e6:.2f} M data packets, "
        f"{made.plain_events / 1e6:.2f} M events per CPU-s;"
        f" ratio per event {made.per_event:.2f}, per packet {made.per_packet:.2f}"
    )
    return made


def interpreted() -> float:
    """Run a second of it uncompiled, in a process of its own; data packets per CPU-second."""
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import dumbbell;"
        "a = dumbbell.run(32, 1_000_000_000, 1); print(a[1] / a[0], a[3])"
    )
    command = [sys.executable, "-c", script, str(HERE)]
    environment = {**os.environ, "TCC_ENGINE": "interpreted"}
    said = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    packets, goodput = map(float, said.stdout.split())
    print(f"interpreted: {packets:.0f} data packets per CPU-s, {goodput:.1f} Mbit/s")
    return packets


def endless(packets: int) -> None:
    """Run until so many data packets were sent, and print how memory grew meanwhile."""
    seconds = packets // 82_000
    for _ in range(3):  # what several runs in one process leave behind is no growth
        first = run(32, 1_000_000_000, 10)
    last = run(32, 1_000_000_000, seconds)
    print(f"{first[1]} data packets: {first[4]} MiB; {last[1]} data packets: {last[4]} MiB")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--interpreted", action="store_true", help="also run it uncompiled")
    parser.add_argument("--packets", type=int, default=0, help="also run for so many packets")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        binary = yardstick(folder)
        for case in CASES:
            compare(binary, *case, options.repeat)
    if options.interpreted:
        interpreted()
    if options.packets:
        endless(options.packets)


if __name__ == "__main__":
    main()
