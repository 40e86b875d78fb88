"""`udp-flood`: a flood of small packets through CAKE's root lock, by kernel.

What reaches the qdisc and what each step costs under the lock are constants of the cost profile,
fitted to these very rows; CAKE is the engine's, whole.  That the rate declines, to which level,
that it stays there and where it collapses follow from CAKE.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.qdisc import Cake
from tcc.engine.events import Schedule
from tcc.engine.host import profiles
from tcc.engine.host.lock import Counter, Flood, LockedDevice, costs_of
from tcc.engine.packet import PacketPool
from tcc.engine.random import Random
from tcc.engine.tcp.options import OptionPool
from tcc.experiments import command, tasks
from tcc.experiments.comparison import CALIBRATED, EMERGENT, Check, Ours, Study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path as FilePath

HOST = "xeon-6209u-debug"
USED = (
    "host_scale",
    "producers",
    "producer_cost_ns",
    "ns.enqueue",
    "ns.dequeue_and_send",
    "ns.drop_under_lock_total",
    "ns.drop_deferred_lock_part",
    "ns.overflow_drop",
    "ns.contended_lock_handoff",
    "rx_skb_truesize",
    "flow_queues",
    "bulk_packets_per_lock_cycle",
)
SECOND = 1_000_000_000
STEP = SECOND // 2
DURATION = 120  # s
STATIONARY = 10  # s: enough where nothing changes
LENGTH = 64
OFFERED = 21_000_000  # packets/s before the NIC
SETTLED = 60  # s: from here on the rates are those of the end
MEGA = 1_000_000
ROWS = {
    "baseline": "baseline-busylock",
    "net-next": "llist",
    "dequeue-drops": "llist+dd",
    "dequeue-drops+defer-limit": "llist+dd+limit",
}


@dataclass(frozen=True, slots=True)
class Run:
    """A flood: packets sent in each half second, dropped by the qdisc, refused before it."""

    steps: tuple[int, ...]
    dropped: int
    refused: int
    seconds: int
    most_used: int

    def rate(self, first: int, last: int | None = None) -> Fraction:
        """Return the mean rate (Mpps) between two seconds."""
        steps = self.steps[2 * first : None if last is None else 2 * last]
        return Fraction(2 * sum(steps), len(steps) * MEGA)

    def sent(self, seconds: int) -> int:
        """Return the packets sent in so many seconds, going on as it ended."""
        return sum(self.steps) * seconds // self.seconds


def simulate(
    host: Mapping[str, Any], kernel: str, rate: int, seconds: int, seed: int, spread: int = 0
) -> Run:
    """Flood CAKE.

    Args:
        host: the cost profile.
        kernel: the kernel profile.
        rate: packets/s that reach the qdisc.
        seconds: how long.
        seed: of flows and of CAKE's dice.
        spread: how much each second's rate differs, in thousandths.
    """
    pool = PacketPool(32768)
    schedule = Schedule(pool)
    config = CakeConfig(
        tins=3, flow_mode=4, overhead=18, network_size=True, mpu=64
    )  # besteffort flows, framing of Ethernet
    cake = Cake(pool, Random(seed, 8), config)
    out = Counter(schedule)
    costs = costs_of(host, profiles.kernel(kernel))
    device = LockedDevice(schedule, cake, out, OptionPool(), costs)
    device.group()
    device.connect(0)
    chance = Random(seed, 9)
    hashes = [chance.draw32() for _ in range(host["flow_queues"])]
    flood = Flood(
        schedule, device, hashes, rate, LENGTH, host["rx_skb_truesize"], spread, Random(seed, 10)
    )
    flood.open_at(0)
    steps: list[int] = []
    for number in range(1, seconds * 2 + 1):
        before = int(out.packets)
        schedule.run(number * STEP)
        steps.append(int(out.packets) - before)
    drops = int(cake.statistics()["drops"])
    return Run(tuple(steps), drops, int(device.turned_away), seconds, int(cake.most_used))


def closed_form(host: Mapping[str, Any], kernel: str, rate: int) -> Fraction:
    """Return what a lock that is just busy sends (packets/s).

    `rate * (e + p d + (1 - p) s) = 1` where BLUE's drop probability p settles; all of it below
    1/(e + s), next to nothing above 1/(e + d).
    """
    costs = costs_of(host, profiles.kernel(kernel))
    enqueue, send, drop = costs.enqueue, costs.send, costs.drop
    if not costs.deferring:
        return min(Fraction(rate), Fraction(SECOND, enqueue + send + 2 * costs.hand_off))
    if rate * (enqueue + send) <= SECOND:
        return Fraction(rate)
    busy = Fraction(rate * (enqueue + drop), SECOND)
    return max(Fraction(0), (1 - busy) * SECOND / (send - drop))


def study(seed: int = 1, host: Mapping[str, Any] | None = None, seconds: int = DURATION) -> Study:
    """Run every row, the curve over senders, and the closed form where nothing was fitted."""
    host = host or profiles.host(HOST)
    named = [_row_arguments(host, kernel, seconds, seed) for kernel in ROWS.values()]
    beyond = _beyond_arguments(host, seed)
    made = tasks.run(simulate, [*named, *((*each, 0) for each in beyond)])
    rows: dict[str, Run] = dict(zip(ROWS, made, strict=False))
    others = made[len(rows) :]
    points = list(zip(beyond, others, strict=True))
    return Study(
        "udp-flood",
        profiles.used(host, USED) | _feeds(),
        _figures(rows, seconds),
        REASONS,
        [_collapse(host, points)],
        [_curve(host, points), _check_form(host, points)],
    )


REASONS = {
    "requeues": "of the driver, which is not modelled",
    "baseline/dropped": "a start-up transient of the document's host",
    "backlog": "the queue is empty when the flood has ended",
    "reviewer-remark": "another host; see the curve",
    "time of the initial drop": "see the rates by time",
}
SENDERS = (1, 2, 3, 4, 5, 6)
FORM = {
    "llist": (700, 720, 740),
    "llist+dd": (700, 730, 780, 800, 815),
}  # kpps, none of them fitted
CURVE_SECONDS = 5
CURVE_SETTLED = 4


def _feed(kernel: str) -> int:
    return int(profiles.kernel(kernel)["feed_kpps"]) * 1000


def _feeds() -> dict[str, int | float]:
    return {f"feed_kpps of {kernel}": _feed(kernel) // 1000 for kernel in list(ROWS.values())[1:]}


def _row_arguments(
    host: Mapping[str, Any], kernel: str, seconds: int, seed: int
) -> tuple[Any, ...]:
    """Return what a row simulates; the baseline never changes, so a part of it is enough."""
    if profiles.kernel(kernel)["feed_kpps"] is None:
        return (host, kernel, OFFERED // 20, min(seconds, STATIONARY), seed, 0)
    return (host, kernel, _feed(kernel), seconds, seed, 0)


def _beyond_arguments(host: Mapping[str, Any], seed: int) -> list[tuple[Any, ...]]:
    """Return the runs that no row of the document has."""
    found: list[tuple[Any, ...]] = []
    each = SECOND // host["producer_cost_ns"]
    for senders in SENDERS:
        found.append((host, "baseline-busylock", senders * each, 2, seed))
        calm = senders * each * (host["ns"]["enqueue"] + host["ns"]["dequeue_and_send"]) < SECOND
        length = 2 if calm else CURVE_SECONDS
        found.append((host, "llist", senders * each, length, seed))
        found.append((host, "llist+dd", senders * each, length, seed))
    for kernel, rates in FORM.items():
        found += [(host, kernel, rate * 1000, CURVE_SECONDS, seed) for rate in rates]
    found.append((host, "llist", 1_390_000, 10, seed))
    found.append((host, "linux-7.3", _feed("linux-7.3"), CURVE_SECONDS, seed))
    return found


def _figures(rows: Mapping[str, Run], seconds: int) -> dict[tuple[str, str, str], Ours]:
    found: dict[tuple[str, str, str], Ours] = {}
    fit = "costs and feed were fitted to it"
    for row, run in rows.items():
        sent = run.sent(seconds) * DURATION // seconds
        dropped = run.dropped * DURATION // run.seconds
        found[row, "sent", "packets"] = Ours(Fraction(sent), CALIBRATED, fit)
        found[row, "sent", "bytes"] = Ours(Fraction(sent * LENGTH), CALIBRATED, fit)
        if row != "baseline":
            found[row, "dropped", "packets"] = Ours(Fraction(dropped), CALIBRATED, fit)
        found[row, "overlimits", "count"] = Ours(Fraction(0), EMERGENT, "no rate is set")
        found[row, "memory used", "bytes"] = Ours(Fraction(run.most_used), EMERGENT)
        found |= _derived(row, sent, dropped)
        if row == "baseline":
            found[row, "packet rate, stable", "Mpps"] = Ours(run.rate(0), CALIBRATED, fit)
            continue
        start = Fraction(2 * run.steps[0], MEGA)
        found[row, "packet rate, initial", "Mpps"] = Ours(start, CALIBRATED, fit)
        settled = run.rate(min(SETTLED, run.seconds // 2))
        found[row, "packet rate, final", "Mpps"] = Ours(settled, EMERGENT)
        late = run.steps[len(run.steps) // 2 :]
        found[row, "packet rate, oscillation low", "Mpps"] = Ours(
            Fraction(2 * min(late), MEGA), EMERGENT
        )
        found[row, "packet rate, oscillation high", "Mpps"] = Ours(
            Fraction(2 * max(late), MEGA), EMERGENT
        )
    return found


def _derived(row: str, sent: int, dropped: int) -> dict[tuple[str, str, str], Ours]:
    accepted = sent + dropped
    return {
        (row, "average sent rate over 120 s", "Mpps"): Ours(
            Fraction(sent, DURATION * MEGA), CALIBRATED
        ),
        (row, "accepted by qdisc = (sent+dropped)/120 s", "Mpps"): Ours(
            Fraction(accepted, DURATION * MEGA), CALIBRATED, "the feed is a constant"
        ),
        (row, "mean packet size", "bytes"): Ours(Fraction(LENGTH), EMERGENT, "as the flood is"),
        (row, "delivered share = sent/(sent+dropped)", "ratio"): Ours(
            Fraction(sent, accepted), CALIBRATED
        ),
    }


Point = tuple[tuple[Any, ...], Run]


def _curve(
    host: Mapping[str, Any], points: Sequence[Point]
) -> tuple[str, list[str], list[list[str]]]:
    each = SECOND // host["producer_cost_ns"]
    kernels = ("baseline-busylock", "llist", "llist+dd")
    by_place = {(one[1], one[2]): run for one, run in points}
    table = []
    for senders in SENDERS:
        runs = [by_place[kernel, senders * each] for kernel in kernels]
        settled = [run.rate(min(CURVE_SETTLED, run.seconds - 1)) for run in runs]
        table.append(
            [str(senders), f"{senders * each / 1e6:.3f}", *(f"{float(one):.4f}" for one in settled)]
        )
    return (
        "sent (Mpps) by the number of processors that forward, once settled",
        ["senders", "reach the lock", *kernels],
        table,
    )


def _check_form(
    host: Mapping[str, Any], points: Sequence[Point]
) -> tuple[str, list[str], list[list[str]]]:
    table = []
    for (_, kernel, rate, *_rest), run in points:
        if run.seconds < CURVE_SECONDS:
            continue
        ours = run.rate(CURVE_SETTLED)
        form = closed_form(host, kernel, rate) / MEGA
        table.append(
            [
                kernel,
                f"{rate / 1e6:.3f}",
                f"{float(form):.4f}",
                f"{float(ours):.4f}",
                f"{run.dropped / run.seconds / 1e6:.3f}",
            ]
        )
    return (
        "closed form beyond the fit (Mpps, once settled; 1.39 of llist is the thread's first run)",
        ["kernel", "reach the lock", "closed form", "engine", "dropped"],
        table,
    )


def _collapse(host: Mapping[str, Any], points: Sequence[Point]) -> Check:
    """Say whether the collapse is where the closed form has it: beyond 1/(enqueue + drop)."""
    costs = costs_of(host, profiles.kernel("llist+dd"))
    edge = SECOND // (costs.enqueue + costs.drop)
    sent = {
        one[2]: run.rate(CURVE_SETTLED)
        for one, run in points
        if one[1] == "llist+dd" and run.seconds >= CURVE_SECONDS
    }
    start = SECOND // (costs.enqueue + costs.send)
    below = min(rate for at, rate in sent.items() if start < at < edge * 95 // 100)
    above = max(rate for at, rate in sent.items() if at > edge)
    return Check(
        f"collapse: of what reaches the lock, up to 95 % of {edge / 1e6:.3f} Mpps, at least "
        f"{float(below):.3f} Mpps pass; of more, at most {float(above):.4f} Mpps do",
        above < below / 10,
    )


def report(rows: FilePath | None, seed: int, repeat: int | None, as_json: bool) -> int:
    """Run and print it; see `tcc.experiments.command.report`."""
    return command.report(study, rows, seed, repeat, json=as_json)
