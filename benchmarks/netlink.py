"""How fast are a batch of 1,000 qdiscs and a dump of them, beside tc?

`python benchmarks/netlink.py [DEVICES] [REPETITIONS]`, as root.  Makes its own network namespace
with that many veth ends, replaces a tbf on each, and lists them with statistics.  tc and tcc take
turns, both with real-time priority, so that a busy machine disturbs neither.  Prints the medians
of wall time and of processor time (user and system), and their ratios, as `name value unit`.

A batch is counted in two ways, both against the whole of `tc -batch`: `wall` is from the first
message out to the last acknowledgement in; `all` includes the encoding of every message and a new
socket in the namespace.

So is a dump, against the whole of `tc -s -j qdisc show`: `dump` is from the request to decoded
statistics, with the options at hand but still as bytes; `dump-all` has the options decoded too.
`status` is what `tcc status` takes: all counters of every qdisc, its rate, and what its kind counts
of its own, as objects.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tcc.netlink import kinds, links, qdisc, readings, samples
from tcc.netlink.handle import ROOT, Handle
from tcc.netlink.messages import Message
from tcc.netlink.namespace import Namespace
from tcc.netlink.objects import TcObject
from tcc.netlink.transport import RouteSocket

RATES = (50_000_000, 60_000_000)  # bit/s, in turn, so that every replace changes something
BURST = 16_384


def main() -> int:
    devices = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    for name, value, unit in measure(devices, repetitions):
        print(f"{name} {value:.3f} {unit}")
    return 0


def measure(devices: int, repetitions: int) -> list[tuple[str, float, str]]:
    """Return medians and ratios over `repetitions` interleaved runs."""
    name = f"tccbench{os.getpid()}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        with RouteSocket(Namespace.named(name)) as route, tempfile.TemporaryDirectory() as folder:
            indices = make_devices(route, devices)
            scripts = write_scripts(Path(folder), indices)
            columns: dict[str, list[float]] = {}
            for turn in range(repetitions + 1):
                with undisturbed():
                    run = one_turn(name, route, indices, scripts, turn)
                if turn:  # the first one warms both up
                    for key, milliseconds in run.items():
                        columns.setdefault(key, []).append(milliseconds)
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)
    median = {key: statistics.median(values) for key, values in columns.items()}
    rows = [(key.replace("_", "-"), value, "ms") for key, value in median.items()]
    rows += [
        ("batch-ratio", median["batch_wall"] / median["tc_batch"], "of tc -batch"),
        ("batch-all-ratio", median["batch_all"] / median["tc_batch"], "of tc -batch"),
        ("dump-ratio", median["dump"] / median["tc_dump"], "of tc -s -j qdisc show"),
        ("dump-all-ratio", median["dump_all"] / median["tc_dump"], "of tc -s -j qdisc show"),
        ("status-ratio", median["status"] / median["tc_dump"], "of tc -s -j qdisc show"),
        ("batch-cpu-ratio", median["batch_wall_cpu"] / median["tc_batch_cpu"], "of tc -batch"),
        ("dump-cpu-ratio", median["dump_cpu"] / median["tc_dump_cpu"], "of tc -s -j qdisc show"),
    ]
    return rows


def make_devices(route: RouteSocket, count: int) -> dict[str, int]:
    """Make `count` veth ends and return their names and numbers."""
    acks = route.batch([links.create_veth(f"w{n}", f"x{n}") for n in range(count // 2)])
    assert all(ack.ok for ack in acks), acks
    return {link.name: link.ifindex for link in links.dump(route) if link.kind == "veth"}


def write_scripts(folder: Path, indices: dict[str, int]) -> list[Path]:
    """Write what `tc -batch` reads, one file per rate."""
    paths = []
    for rate in RATES:
        path = folder / f"{rate}.tc"
        lines = [
            f"qdisc replace dev {name} root handle 1: tbf rate {rate}bit"
            f" burst {BURST}b latency 50ms\n"
            for name in indices
        ]
        path.write_text("".join(lines))
        paths.append(path)
    return paths


def messages(indices: dict[str, int], rate: int) -> list[Message]:
    """Return what tcc sends for the same."""
    parms = {
        "rate_linklayer": 1,
        "rate_rate": rate // 8,
        "limit": rate // 8 // 20 + BURST,
        "buffer": -(-BURST * 15_625_000 // (rate // 8)),
    }
    return [
        qdisc.replace(
            qdisc.QdiscMessage(
                ifindex,
                Handle.of(1),
                ROOT,
                "tbf",
                kinds.encode_options("tbf", [("PARMS", parms), ("BURST", BURST)]),
            )
        )
        for ifindex in indices.values()
    ]


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let other programs interrupt neither side: real-time scheduling, inherited by tc."""
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before)


class Watch:
    """Wall and processor time since it was made, in milliseconds."""

    def __init__(self) -> None:
        self._cpu = processor_seconds()
        self._wall = time.perf_counter()

    def stop(self, into: dict[str, float], name: str) -> None:
        into[name] = 1000 * (time.perf_counter() - self._wall)
        into[f"{name}_cpu"] = 1000 * (processor_seconds() - self._cpu)


def processor_seconds() -> float:
    """Return what this process and its ended children have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def one_turn(
    name: str, route: RouteSocket, indices: dict[str, int], scripts: list[Path], turn: int
) -> dict[str, float]:
    """Apply and list once each way; return the milliseconds that each took."""
    spent: dict[str, float] = {}
    watch = Watch()
    subprocess.run(["tc", "-n", name, "-batch", scripts[0]], check=True)
    watch.stop(spent, "tc_batch")

    everything = Watch()
    with RouteSocket(Namespace.named(name)) as fresh:
        wanted = messages(indices, RATES[1])
        watch = Watch()
        acks = fresh.batch(wanted)
        watch.stop(spent, "batch_wall")
        everything.stop(spent, "batch_all")
    assert all(ack.ok for ack in acks), acks

    watch = Watch()
    listing = ["tc", "-n", name, "-s", "-j", "qdisc", "show"]
    subprocess.run(listing, check=True, stdout=subprocess.DEVNULL)
    watch.stop(spent, "tc_dump")

    watch = Watch()
    counted = [statistics_of(entry) for entry in qdisc.dump(route)]
    watch.stop(spent, "dump")
    assert len(counted) >= len(indices)
    del counted

    watch = Watch()
    found = readings.read(route)
    watch.stop(spent, "dump_all")
    shaped = [reading.options for reading in found if reading.kind == "tbf"]
    assert len(shaped) == len(indices), f"{len(shaped)} of {len(indices)} in turn {turn}"
    assert all(dict(options)["PARMS"]["rate_rate"] == RATES[1] // 8 for options in shaped)
    del found, shaped

    watch = Watch()
    told = samples.read(route)
    watch.stop(spent, "status")
    rates = [one.rate for one in told if one.kind == "tbf"]
    assert rates == [RATES[1] // 8] * len(indices)
    return spent


def statistics_of(entry: TcObject) -> tuple[object, ...]:
    """Return whose statistics they are, and them; the options stay as they came."""
    stats = entry.xstats
    return (
        entry.ifindex,
        entry.kind,
        entry.handle,
        entry.parent,
        entry.counters,
        None if stats is None else kinds.decode_stats(entry.kind, stats),
        entry.options,
    )


if __name__ == "__main__":
    raise SystemExit(main())
