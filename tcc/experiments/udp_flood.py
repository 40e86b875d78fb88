"""`udp-flood`: a flood of small packets through CAKE's root lock, by kernel.

What reaches the qdisc and what each step costs under the lock are constants of the cost profile,
fitted to these very rows in a model of CAKE that has one round of flows (`OneRound`); the judged
rows are that model's.  That the rate declines, to which level, that it stays there and where it
collapses follow from BLUE.  CAKE as it is spares flows that run empty; a table says what that
does to the same rows.

Rows are simulated until long after they have settled; what is missing of their 120 s is as their
second half.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.qdisc import Cake
from tcc.engine.events import Schedule
from tcc.engine.host import profiles
from tcc.engine.host.lock import Counter, Flood, LockedDevice, costs_of
from tcc.engine.host.one_round import OneRound
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
DURATION = 120  # s, of the document's runs
SIMULATED = {  # s; the second half is settled, and what follows goes on like it
    "baseline-busylock": 4, "llist": 40, "llist+dd": 24, "llist+dd+limit": 24,
}  # fmt: skip
LENGTH = 64
OFFERED = 21_000_000  # packets/s before the NIC
MEGA = 1_000_000
ROWS = {
    "baseline": "baseline-busylock",
    "net-next": "llist",
    "dequeue-drops": "llist+dd",
    "dequeue-drops+defer-limit": "llist+dd+limit",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A flood to simulate.

    Attributes:
        kernel: the kernel profile.
        rate: packets/s that reach the qdisc.
        seconds: how long.
        flows: how many; 0 for as many as the host profile says.
        whole: CAKE as it is, with its list of sparse flows.
        drawn: each packet's flow is drawn; otherwise the flows take turns.
        run: packets of a flow in a row, at its turn.
    """

    kernel: str
    rate: int
    seconds: int
    flows: int = 0
    whole: bool = False
    drawn: bool = False
    run: int = 1


@dataclass(frozen=True, slots=True)
class Run:
    """A flood: packets sent and dropped by the qdisc in each half second, refused before it."""

    sent: tuple[int, ...]
    dropped: tuple[int, ...]
    refused: int
    most_used: int

    def rate(self, first: int, last: int | None = None) -> Fraction:
        """Return the mean rate (Mpps) between two seconds."""
        steps = self.sent[2 * first : None if last is None else 2 * last]
        return Fraction(2 * sum(steps), len(steps) * MEGA)


def lasting(steps: Sequence[int], seconds: int) -> int:
    """Return the packets in so many seconds, which go on as the second half of the steps."""
    settled = steps[len(steps) // 2 :]
    return sum(steps) + sum(settled) * (2 * seconds - len(steps)) // len(settled)


def simulate(host: Mapping[str, Any], case: Case, seed: int) -> Run:
    """Flood CAKE."""
    pool = PacketPool(32768)
    schedule = Schedule(pool)
    config = CakeConfig(
        tins=3, flow_mode=4, overhead=18, network_size=True, mpu=64
    )  # besteffort flows, framing of Ethernet
    cake = Cake(pool, Random(seed, 8), config)
    out = Counter(schedule)
    costs = costs_of(host, profiles.kernel(case.kernel))
    one_round = None if case.whole else OneRound(cake)
    device = LockedDevice(schedule, cake, out, OptionPool(), costs, one_round=one_round)
    device.group()
    device.connect(0)
    chance = Random(seed, 9)
    flows = [chance.draw32() for _ in range(case.flows or host["flow_queues"])]
    hashes = [flow for flow in flows for _ in range(case.run)]
    flood = Flood(
        schedule,
        device,
        hashes,
        case.rate,
        LENGTH,
        host["rx_skb_truesize"],
        chance=Random(seed, 10),
        drawn=case.drawn,
    )
    flood.open_at(0)
    sent, dropped = [0], [0]
    for number in range(1, case.seconds * 2 + 1):
        schedule.run(number * STEP)
        sent.append(int(out.packets))
        dropped.append(int(cake.statistics()["drops"]))
    return Run(_differences(sent), _differences(dropped), device.turned_away, int(cake.most_used))


def _differences(counts: Sequence[int]) -> tuple[int, ...]:
    return tuple(after - before for before, after in pairwise(counts))


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


SENDERS = (1, 2, 3, 4, 5, 6)
KERNELS = ("baseline-busylock", "llist", "llist+dd")
FORM = {"llist": (725,), "llist+dd": (700, 780, 810)}  # kpps, none of them fitted
LONG, LAST = 13, 10  # s: of the runs beyond the rows; from when they are settled
COLLAPSING = 5  # s: a collapse is over sooner
WHOLE = ((6, 1), (256, 1), (256, 16))  # flows, and packets of each in a row
FIRST_RUN = Case("llist", 1_390_000, 10)  # of the thread
REASONS = {
    "requeues": "of the driver, which is not modelled",
    "baseline/dropped": "a start-up transient of the document's host",
    "backlog": "the queue is empty when the flood has ended",
    "reviewer-remark": "another host; see the curve",
    "time of the initial drop": "see the rates by time",
}
FIT = "costs and feed were fitted to it, with one round of flows"


def study(seed: int = 1, host: Mapping[str, Any] | None = None) -> Study:
    """Run every row, the curve over senders, the closed form beyond the fit, and CAKE whole."""
    host = host or profiles.host(HOST)
    rows = [_row(kernel) for kernel in ROWS.values()]
    cases = dict.fromkeys([*rows, *_curve_cases(host), *_form_cases(), *_other_cases()])
    made = tasks.run(simulate, [(host, case, seed) for case in cases])
    runs = dict(zip(cases, made, strict=True))
    return Study(
        "udp-flood",
        profiles.used(host, USED) | _feeds(),
        _figures({row: runs[case] for row, case in zip(ROWS, rows, strict=True)}),
        REASONS,
        [_collapse(host, runs)],
        [_curve(host, runs), _check_form(host, runs), _others(host, runs)],
    )


def _feed(kernel: str) -> int:
    return int(profiles.kernel(kernel)["feed_kpps"]) * 1000


def _feeds() -> dict[str, int | float]:
    return {f"feed_kpps of {kernel}": _feed(kernel) // 1000 for kernel in list(ROWS.values())[1:]}


def _row(kernel: str) -> Case:
    """Return what a row simulates: what reaches the lock, until long after it has settled."""
    feed = profiles.kernel(kernel)["feed_kpps"]
    return Case(kernel, OFFERED // 20 if feed is None else _feed(kernel), SIMULATED[kernel])


def _reaching(host: Mapping[str, Any], senders: int) -> int:
    return int(senders * SECOND // host["producer_cost_ns"])


def _curve_case(host: Mapping[str, Any], kernel: str, senders: int) -> Case:
    rate = _reaching(host, senders)
    costs = costs_of(host, profiles.kernel(kernel))
    if kernel == KERNELS[0] or rate * (costs.enqueue + costs.send) < SECOND:
        return Case(kernel, rate, 2)
    return Case(kernel, rate, LONG if rate * (costs.enqueue + costs.drop) < SECOND else COLLAPSING)


def _curve_cases(host: Mapping[str, Any]) -> list[Case]:
    return [_curve_case(host, kernel, senders) for kernel in KERNELS for senders in SENDERS]


def _form_cases() -> list[Case]:
    return [Case(kernel, rate * 1000, LONG) for kernel, rates in FORM.items() for rate in rates]


def _other_cases() -> list[Case]:
    """Return the thread's first run, the kernel's present state, and a row with CAKE as it is."""
    feed = _feed("llist")
    whole = [Case("llist", feed, LONG, flows, whole=True, run=run) for flows, run in WHOLE]
    return [FIRST_RUN, Case("linux-7.3", _feed("linux-7.3"), LONG), *whole]


def _figures(rows: Mapping[str, Run]) -> dict[tuple[str, str, str], Ours]:
    found: dict[tuple[str, str, str], Ours] = {}
    for row, run in rows.items():
        sent, dropped = lasting(run.sent, DURATION), lasting(run.dropped, DURATION)
        found[row, "sent", "packets"] = Ours(Fraction(sent), CALIBRATED, FIT)
        found[row, "sent", "bytes"] = Ours(Fraction(sent * LENGTH), CALIBRATED, FIT)
        if row != "baseline":
            found[row, "dropped", "packets"] = Ours(Fraction(dropped), CALIBRATED, FIT)
        found[row, "overlimits", "count"] = Ours(Fraction(0), EMERGENT, "no rate is set")
        why = "the document's start filled its queue once" if row == "baseline" else ""
        found[row, "memory used", "bytes"] = Ours(Fraction(run.most_used), EMERGENT, why)
        found |= _derived(row, sent, dropped)
        found |= _rates(row, run)
    return found


def _rates(row: str, run: Run) -> dict[tuple[str, str, str], Ours]:
    """Return the rates over time."""
    if row == "baseline":
        return {(row, "packet rate, stable", "Mpps"): Ours(run.rate(0), CALIBRATED, FIT)}
    settled = len(run.sent) // 4
    late = run.sent[2 * settled :]
    values = {
        "initial": Ours(Fraction(2 * run.sent[0], MEGA), CALIBRATED, "costs were fitted to it"),
        "final": Ours(run.rate(settled), EMERGENT, "given 256 flows in one round"),
        "oscillation low": Ours(Fraction(2 * min(late), MEGA), EMERGENT, "what reaches the lock"
                                " does not vary"),
        "oscillation high": Ours(Fraction(2 * max(late), MEGA), EMERGENT, "the same"),
    }  # fmt: skip
    return {(row, f"packet rate, {name}", "Mpps"): ours for name, ours in values.items()}


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


def _mpps(rate: Fraction) -> str:
    return f"{float(rate):.4f}"


def _settled(run: Run) -> Fraction:
    """Return the rate (Mpps) at the end of a run."""
    return run.rate(min(LAST, len(run.sent) // 2 - 1))


Table = tuple[str, list[str], list[list[str]]]


def _curve(host: Mapping[str, Any], runs: Mapping[Case, Run]) -> Table:
    table = []
    for senders in SENDERS:
        settled = [_settled(runs[_curve_case(host, kernel, senders)]) for kernel in KERNELS]
        reach = _mpps(Fraction(_reaching(host, senders), MEGA))
        table.append([str(senders), reach, *map(_mpps, settled)])
    return (
        "sent (Mpps) by the number of processors that forward, once settled",
        ["senders", "reach the lock", *KERNELS],
        table,
    )


def _check_form(host: Mapping[str, Any], runs: Mapping[Case, Run]) -> Table:
    curve = [case for case in _curve_cases(host) if case.seconds == LONG]
    cases = [*_form_cases(), *curve, FIRST_RUN, *_other_cases()[1:2]]
    table = [
        [
            case.kernel,
            _mpps(Fraction(case.rate, MEGA)),
            _mpps(closed_form(host, case.kernel, case.rate) / MEGA),
            _mpps(_settled(runs[case])),
            f"{sum(runs[case].dropped) / case.seconds / 1e6:.3f}",
            f"{runs[case].refused / case.seconds / 1e6:.3f}",
        ]
        for case in dict.fromkeys(cases)
    ]
    return (
        "closed form beyond the fit (Mpps; 1.39 of llist is the thread's first run, where "
        f"{sum(runs[FIRST_RUN].sent) / 1e6:.2f} M are sent and "
        f"{sum(runs[FIRST_RUN].dropped) / 1e6:.1f} M dropped; published: 0.32 M and 13.6 M)",
        ["kernel", "reach the lock", "closed form", "engine", "dropped", "refused before it"],
        table,
    )


def _others(host: Mapping[str, Any], runs: Mapping[Case, Run]) -> Table:
    """Tell what a row would be with CAKE as it is, with the profile's flows and with few."""
    table = []
    for case in [_row("llist"), *_other_cases()[2:]]:
        sent, dropped = (
            lasting(steps, DURATION) / 1e6 for steps in (runs[case].sent, runs[case].dropped)
        )
        table.append(
            [
                case.kernel,
                str(case.flows or host["flow_queues"]),
                str(case.run),
                "as it is" if case.whole else "one round",
                _mpps(_settled(runs[case])),
                f"{sent:.1f}",
                f"{dropped:.1f}",
            ]
        )
    return (
        "net-next with CAKE as it is: it serves flows that were empty before the others",
        ["kernel", "flows", "in a row", "CAKE", "settled Mpps", "sent M", "dropped M"],
        table,
    )


def _collapse(host: Mapping[str, Any], runs: Mapping[Case, Run]) -> Check:
    """Say whether the collapse is where the closed form has it: beyond 1/(enqueue + drop)."""
    costs = costs_of(host, profiles.kernel("llist+dd"))
    edge = SECOND // (costs.enqueue + costs.drop)
    start = SECOND // (costs.enqueue + costs.send)
    cases = [*_curve_cases(host), *_form_cases()]
    sent = {case.rate: _settled(runs[case]) for case in cases if case.kernel == "llist+dd"}
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
