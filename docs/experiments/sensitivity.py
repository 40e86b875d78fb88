"""Move each fitted constant by 10 % and write down what that does: sensitivity.md.

`python docs/experiments/sensitivity.py` writes the page; with `--check` it computes everything
again and says whether the page still tells the truth.
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from tcc.engine.host import profiles
from tcc.experiments import mq_rate_adjust, split_gso_bql, tasks, udp_backpressure, udp_flood

PAGE = Path(__file__).with_name("sensitivity.md")
STEPS = (Fraction(9, 10), Fraction(11, 10))
TOLERANCE = 2  # points of a per cent that a figure may move before the page is out of date
COUNTS = ("senders", "producers", "cpus", "bulk_packets_per_lock_cycle")
HEAD = """# Sensitivity: each fitted constant, 10 % up and down

Written by [sensitivity.py](sensitivity.py). A cell says by how many per cent a result moves when
the constant is 10 % smaller, and when it is 10 % larger; a dot is no change beyond half a per
cent. Counts move by one.
"""


def figures(experiment: str, host: dict[str, Any]) -> dict[str, float]:
    """Return an experiment's key results with a host profile."""
    return {name: float(value) for name, value in CALCULATIONS[experiment](host).items()}


def _udp_backpressure(host: dict[str, Any]) -> dict[str, Any]:
    fair = udp_backpressure.simulate(host, "sfq", 100, 1)
    plain = udp_backpressure.simulate(host, "bfifo", 100, 1)
    return {
        "sfq Mbit/s": fair.total(),
        "sfq drops": fair.drops(),
        "bfifo drops": plain.drops(),
        "bfifo fastest/slowest": Fraction(max(plain.payload), min(plain.payload)),
    }


def _split_gso_bql(host: dict[str, Any]) -> dict[str, Any]:
    setup = split_gso_bql.Setup
    split = split_gso_bql.simulate(host, setup(), 1)
    whole = split_gso_bql.simulate(host, setup(split=False), 1)
    fifo = split_gso_bql.simulate(host, setup("pfifo_fast"), 1)
    return {
        "split limit": split.limits[0],
        "split ping": split.mean,
        "whole limit": whole.limits[0],
        "whole ping": whole.mean,
        "pfifo_fast ping": fifo.mean,
        "lone stream": fifo.rates[split_gso_bql.LONE],
    }


def _udp_flood(host: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kernel, rate, seconds in (
        ("baseline-busylock", 1_000_000, 2),
        ("llist", 746_000, 16),
        ("llist+dd", 760_000, 12),
    ):
        case = udp_flood.Case(kernel, round(rate * host.get(FEED, 1)), seconds)
        run = udp_flood.simulate(host, case, 1)
        found[f"{kernel} start"] = run.sent[0]
        found[f"{kernel} settled"] = run.rate(seconds * 3 // 4)
    return found


def _virtual(host: dict[str, Any]) -> dict[str, Any]:
    kernel = mq_rate_adjust.KERNELS["net-next"]
    found: dict[str, Any] = {}
    for mode in ("be", "ds3"):
        run = mq_rate_adjust.vm(host, kernel, "mq", mode, "nup", 1)
        found |= {f"{mode} nup": run.goodput, f"{mode} idle": run.idle, f"{mode} p99": run.p99}
    single = mq_rate_adjust.vm(host, kernel, "cake", "be", "nup", 1)
    return found | {"one cake, be nup": single.goodput}


def _router(host: dict[str, Any]) -> dict[str, Any]:
    return {
        f"{mode} Mbit/s": mq_rate_adjust.router(host, "net-next", mode, 1).goodput
        for mode in ("be", "ds3", "ds4")
    }


CALCULATIONS = {
    "udp-backpressure": _udp_backpressure,
    "split-gso-bql": _split_gso_bql,
    "udp-flood": _udp_flood,
    "mq-rate-adjust, the VM": _virtual,
    "mq-rate-adjust, the router": _router,
}
FEED = "feed_kpps"
"""Of the kernel profiles: what reaches the lock."""
STATED = (
    "senders", "udp_payload", "tbf_rate_bps", "link_bps", "frame_overhead_bytes",
    "rx_skb_truesize", "host_scale",
)  # fmt: skip
"""What documents state and nobody fitted."""


def fitted(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the constants that were fitted or chosen."""
    return tuple(name for name in names if name not in STATED)


HOSTS = {
    "udp-backpressure": (udp_backpressure.HOST, fitted(udp_backpressure.USED)),
    "split-gso-bql": (split_gso_bql.HOST, fitted(split_gso_bql.USED)),
    "udp-flood": (udp_flood.HOST, (FEED, *fitted(udp_flood.USED))),
    "mq-rate-adjust, the VM": (
        mq_rate_adjust.VM,
        (
            "ns.per_packet_total_nup", "ns.purge_visit_warm", "ns.purge_visit_cold_5tins",
            "ns.purge_visit_cold_7tins", "ns.single_cake_serial.be_nup", "softnet_backlog",
            "sync_interval_ns", "base_rtt_ms",
        ),
    ),
    "mq-rate-adjust, the router": (
        mq_rate_adjust.ROUTER,
        (
            "ns.per_packet_total", "ns.purge_visit.4_tins", "ns.purge_visit.5_tins",
            "ns.purge_visit.7_tins", "sync_interval_ns",
        ),
    ),
}  # fmt: skip


def moved(profile: dict[str, Any], constant: str, step: Fraction) -> dict[str, Any]:
    """Return a profile with one constant moved; a count by one."""
    if constant == FEED:
        return {**profile, FEED: step}
    if constant in COUNTS:
        return {**profile, constant: profile[constant] + (1 if step > 1 else -1)}
    return profiles.moved(profile, constant, float(step))


def table(experiment: str) -> tuple[list[str], dict[tuple[str, str], tuple[float, float]]]:
    """Return the results' names, and their moves in per cent by (constant, result)."""
    name, constants = HOSTS[experiment]
    profile = profiles.host(name)
    runs = [(experiment, profile)]
    runs += [(experiment, moved(profile, one, step)) for one in constants for step in STEPS]
    base, *others = tasks.run(figures, runs)
    found = {}
    for place, constant in enumerate(constants):
        low, high = others[2 * place], others[2 * place + 1]
        for result, value in base.items():
            found[constant, result] = (
                100 * (low[result] - value) / value if value else 0.0,
                100 * (high[result] - value) / value if value else 0.0,
            )
    return list(base), found


def cell(moves: tuple[float, float]) -> str:
    """Return both moves, or a dot."""
    if max(map(abs, moves)) < 0.5:
        return "."
    return " / ".join(f"{move:+.0f}" for move in moves)


def rows(text: str) -> dict[str, list[str]]:
    """Return the cells of a page's tables by experiment and constant."""
    found, heading = {}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line
        elif line.startswith("| `"):
            constant, *cells = [each.strip() for each in line.strip("|").split("|")]
            found[f"{heading} {constant}"] = cells
    return found


def numbers(text: str) -> list[float]:
    """Return the moves in a cell."""
    return [0.0, 0.0] if text == "." else [float(each) for each in text.split(" / ")]


def same(old: str, new: str) -> bool:
    """Say whether two cells agree but for the tolerance, which grows with the move."""
    pairs = zip(numbers(old), numbers(new), strict=True)
    return all(abs(a - b) <= TOLERANCE + max(abs(a), abs(b)) / 10 for a, b in pairs)


def page() -> str:
    """Compute everything; return the page."""
    parts = [HEAD]
    for experiment in CALCULATIONS:
        results, found = table(experiment)
        parts.append(f"\n## {experiment}\n")
        parts.append("| constant | " + " | ".join(results) + " |")
        parts.append("|---" * (len(results) + 1) + "|")
        for constant in HOSTS[experiment][1]:
            cells = [cell(found[constant, result]) for result in results]
            parts.append(f"| `{constant}` | " + " | ".join(cells) + " |")
        print(f"{experiment}: {len(HOSTS[experiment][1])} constants moved", file=sys.stderr)
    return "\n".join(parts) + "\n"


def main() -> int:
    """Write the page, or check it; 0 if it is what it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    new = page()
    if not arguments.check:
        PAGE.write_text(new)
        return 0
    print(new)
    before, after = rows(PAGE.read_text()), rows(new)
    wrong = [
        name
        for name in before.keys() | after.keys()
        if len(before.get(name, ())) != len(after.get(name, ()))
        or not all(map(same, before[name], after[name]))
    ]
    for name in sorted(wrong):
        print(f"no longer as {PAGE.name} says: {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
