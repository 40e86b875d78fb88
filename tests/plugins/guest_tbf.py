"""Every tbf option and inner kind on a real kernel: our bytes, our tc words, tc's own words."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tcc.netlink.handle import ROOT, Handle
from tcc.netlink.messages import KernelRefusal
from tcc.netlink.transport import RouteSocket
from tcc.plugin import Child, qdisc
from tcc_plugins.fq_codel import FqCodelSettings
from tcc_plugins.pfifo import PfifoSettings
from tcc_plugins.sfq import SfqSettings
from tcc_plugins.tbf import Tbf, TbfSettings
from tests.plugins.kernel_bench import HANDLE, Bench, Case
from tests.plugins.lowered import link, lower_one
from tests.plugins.tbf_cases import INNER, OPTIONS, random_settings

SEED = 20_260_302
PLAIN = TbfSettings(rate=6_250_000, limit=328_884, burst=16_384)


def option_cases() -> list[Case]:
    """Return each option with tc's words; the FIFO inside is the kernel's own with both."""
    cases = []
    for bandwidth, block, framing, words in OPTIONS:
        lowered = lower_one(link(f"bandwidth {bandwidth}; qdisc tbf {{ {block} }}", framing))
        if lowered.settings is None:
            raise SystemExit(f"{block}: {[one.message for one in lowered.found]}")
        cases.append(Case(Tbf(), replace(lowered.settings, inner=None), words.split()))
    return cases


def inner_cases() -> list[Case]:
    """Return each inner qdisc as a root, where tc's words for it can be compared."""
    cases = []
    for block, clauses, words in INNER:
        text = (
            f"bandwidth 50mbit; {clauses}; qdisc tbf {{ burst 16KiB; latency 50ms; inner {block} }}"
        )
        lowered = lower_one(link(text.replace("; ;", ";")))
        if lowered.settings is None:
            raise SystemExit(f"{block}: {[one.message for one in lowered.found]}")
        [child] = lowered.children
        cases.append(Case(qdisc(child.kind), child.settings, words.split()))
    return cases


def change_in_place(bench: Bench) -> dict[str, str]:
    """Say for each kind whether a live one takes the same message with another number."""
    pairs = {
        "tbf": (PLAIN, replace(PLAIN, rate=12_500_000)),
        "sfq": (SfqSettings(limit=100), SfqSettings(limit=90)),
        "fq_codel": (FqCodelSettings(limit=100), FqCodelSettings(limit=90)),
        "pfifo": (PfifoSettings(100), PfifoSettings(90)),
    }
    said = {}
    for kind, (first, second) in pairs.items():
        plugin, device = qdisc(kind), bench.names[0]
        bench.clear()
        bench.send(device, plugin, first)
        try:
            bench.send(device, plugin, second)
        except KernelRefusal:
            said[kind] = "refused"
        else:
            wrong = bench.unlike({device: Case(plugin, second)})
            said[kind] = "changed" if not wrong else f"{wrong}"
    return said


def fifo_after_change(bench: Bench) -> dict[str, list[str]]:
    """Change a live tbf with each kind of FIFO inside, and say what is not as wanted then."""
    found = {}
    for kind, limit in (("bfifo", 65_536), ("pfifo", 77)):
        inner = Child(1, kind, type(qdisc(kind).read(limit.to_bytes(4, "little")))(limit))
        first = replace(PLAIN, limit=limit, inner=inner)
        second = replace(first, rate=12_500_000)
        device = bench.names[0]
        bench.clear()
        bench.send(device, Tbf(), first)
        bench.put(device, (HANDLE, ROOT), Tbf(), Tbf().netlink(second))
        found[kind] = bench.unlike({device: Case(Tbf(), second)})
    return found


def own_fifo(bench: Bench) -> dict[str, object]:
    """Return the qdisc that a fresh tbf has inside, as the plugin reads it."""
    device = bench.names[0]
    bench.clear()
    bench.put(device, (HANDLE, ROOT), Tbf(), Tbf().netlink(PLAIN))
    inner = bench.dumped()[device, Handle.parse("1:1")]
    return {"kind": inner.kind, "handle": str(inner.handle),
            "limit": qdisc("bfifo").read(inner.options).limit}  # fmt: skip


def restored(bench: Bench) -> list[str]:
    """Read random tbfs, send back what was read, and say what is dumped otherwise then."""
    random, device = Random(SEED + 1), bench.names[0]
    wrong = []
    for _ in range(60):
        bench.clear()
        wanted = replace(random_settings(random), inner=None)
        bench.send(device, Tbf(), wanted)
        dumped = Tbf().read(bench.dumped()[device, ROOT].options)
        bench.clear()
        bench.send(device, Tbf(), dumped)
        wrong += bench.unlike({device: Case(Tbf(), wanted)})
    return wrong


def refusals(bench: Bench) -> dict[str, str]:
    """Return what the kernel says to what the plugin's checks refuse."""
    attempts = {
        "peak not above rate": (Tbf(), replace(PLAIN, peak=PLAIN.rate, mtu=1540)),
        "sfq divisor": (qdisc("sfq"), SfqSettings(divisor=1000)),
        "sfq limit 1": (qdisc("sfq"), SfqSettings(limit=1)),
        "fq_codel flows": (qdisc("fq_codel"), FqCodelSettings(flows=65_537)),
    }
    said = {}
    for name, (plugin, settings) in attempts.items():
        bench.clear()
        try:
            bench.send(bench.names[0], plugin, settings)
            said[name] = "accepted"
        except KernelRefusal as refusal:
            said[name] = refusal.strerror
    return said


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    random = Random(SEED)
    with RouteSocket(None) as route:
        bench = Bench(route, "veth", 40)
        spaces = {
            "options": option_cases(),
            "inner": inner_cases(),
            "random": [Case(Tbf(), random_settings(random)) for _ in range(count)],
        }
        report = {
            "cases": {name: len(cases) for name, cases in spaces.items()},
            "differ": {name: bench.compare(cases) for name, cases in spaces.items()},
            "control": bench.compare(
                [Case(Tbf(), PLAIN, ["rate", "50mbit", "burst", "17k", "latency", "50ms"])]
            ),
            "in place": change_in_place(bench),
            "fifo after change": fifo_after_change(bench),
            "own fifo": own_fifo(bench),
            "restored": restored(bench),
            "refusals": refusals(bench),
        }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
