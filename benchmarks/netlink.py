"""How fast are a batch of 1,000 qdiscs and a dump of them, beside tc?

`python benchmarks/netlink.py [DEVICES] [REPETITIONS]`, as root.  Makes its own
network namespace with that many veth ends, replaces a tbf on each, and lists
them with statistics; tc and tcc take turns.  Prints the medians and their
ratios as `name value unit` lines.

Two ways to count for a batch: `wall`, from the first message out to the last
acknowledgement in, against the whole of `tc -batch`; and `all`, with the
encoding of every message and a new socket in the namespace, against the same.
A dump is counted from the request to decoded objects: kind, handles, options,
counters and the kind's own statistics.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tcc.netlink import kinds, links, qdisc
from tcc.netlink.handle import ROOT, Handle
from tcc.netlink.messages import Message
from tcc.netlink.namespace import Namespace
from tcc.netlink.transport import RouteSocket

RATES = (50_000_000, 60_000_000)  # bit/s, in turn, so that every replace changes something
BURST = 16_384


def main() -> int:
    devices = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 9
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
                run = one_turn(name, route, indices, scripts, turn)
                if turn:  # the first one warms both up
                    for key, seconds in run.items():
                        columns.setdefault(key, []).append(1000 * seconds)
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)
    median = {key: statistics.median(values) for key, values in columns.items()}
    rows = [(key.replace("_", "-"), value, "ms") for key, value in median.items()]
    rows += [
        ("batch-ratio", median["batch_wall"] / median["tc_batch"], "of tc -batch"),
        ("batch-all-ratio", median["batch_all"] / median["tc_batch"], "of tc -batch"),
        ("dump-ratio", median["dump"] / median["tc_dump"], "of tc -s -j qdisc show"),
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


def one_turn(
    name: str, route: RouteSocket, indices: dict[str, int], scripts: list[Path], turn: int
) -> dict[str, float]:
    """Apply and list once each way; return the seconds each took."""
    seconds = {}
    start = time.perf_counter()
    subprocess.run(["tc", "-n", name, "-batch", scripts[0]], check=True)
    seconds["tc_batch"] = time.perf_counter() - start

    start = time.perf_counter()
    with RouteSocket(Namespace.named(name)) as fresh:
        wanted = messages(indices, RATES[1])
        sent = time.perf_counter()
        acks = fresh.batch(wanted)
        end = time.perf_counter()
    seconds["batch_wall"] = end - sent
    seconds["batch_all"] = end - start
    assert all(ack.ok for ack in acks), acks

    start = time.perf_counter()
    subprocess.run(
        ["tc", "-n", name, "-s", "-j", "qdisc", "show"], check=True, stdout=subprocess.DEVNULL
    )
    seconds["tc_dump"] = time.perf_counter() - start

    start = time.perf_counter()
    found = [
        (
            entry.ifindex,
            entry.kind,
            entry.handle,
            entry.parent,
            kinds.decode_options(entry.kind, entry.options or b""),
            entry.counters,
            entry.xstats,
        )
        for entry in qdisc.dump(route)
    ]
    seconds["dump"] = time.perf_counter() - start
    shaped = [entry for entry in found if entry[1] == "tbf"]
    assert len(shaped) == len(indices), f"{len(shaped)} of {len(indices)} in turn {turn}"
    parms = dict(shaped[0][4])["PARMS"]
    assert parms["rate_rate"] == RATES[1] // 8
    return seconds


if __name__ == "__main__":
    raise SystemExit(main())
