"""`mq-rate-adjust`: what cake_mq's scan of its siblings costs, by kernel, in a VM and on a router.

CAKE, cake_mq's scans and TCP are the engine's.  What a packet costs, what a visited flow queue
costs and how long one CAKE holds its lock are constants of the cost profiles, fitted to the rows
that say so.  Unshaped downloads of rrul are not simulated: their share of the processors is in
the constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import TYPE_CHECKING, Any

from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.mq import CakeMq
from tcc.engine.cake.qdisc import Cake
from tcc.engine.fifo import Fifo
from tcc.engine.host import profiles
from tcc.engine.host.build import spread_service, visit_costs
from tcc.engine.host.device import Device, Processors
from tcc.engine.host.queues import Queues
from tcc.engine.simulation import Path, Simulation
from tcc.experiments import command, tasks
from tcc.experiments.comparison import CALIBRATED, EMERGENT, Ours, Study

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path as FilePath

    from tcc.engine.path import Interface
    from tcc.engine.queue_disc import QueueDisc

VM, ROUTER = "veth-vm-8cpu", "ipq8074a"
SECOND = 1_000_000_000
MS = 1_000_000
MODES = {"be": 3, "ds3": 0, "ds4": 1, "ds8": 2}
TINS = {"be": 1, "ds3": 3, "ds4": 4, "ds8": 8}
KERNELS = {
    "before_15c2715a5264": "before-15c2715a5264",
    "net-next": "net-next-15c2715a5264",
    "this_patch": "a3729e0df005-or-later",
}
VM_RATE, ROUTER_RATE = 2_000_000_000, 2_200_000_000  # bit/s
RRUL_MARKS = (0, 8, 40, 46)
UPLOADS = {"nup": 32, "rrul": 4}
ROUTER_STREAMS = {"net-next": 128, "this_patch": 64}
ROUTER_RTT = MS  # not stated; nothing depends on it
HYPOTHESIS_QUEUE = 530_000  # bytes: 4.24 ms of a 1 Gbit/s link
SEEDS = 3
SLOPE_SEEDS = 5
SLOPE_VISITS = (12_200, 24_400, 36_600, 44_000, 48_700, 52_000)  # ps
ANSWERED = "99th percentile of the pings that were answered"
BACKLOG = "99th percentile: the backlog of the processors"
QUEUES_ALONE = "99th percentile of what queues make; the scheduler of a VM is not modelled"
SCANS_ALONE = f"{ANSWERED}: scans alone; what made the document's is not known"


@dataclass(frozen=True, slots=True)
class Run:
    """Mbit/s of goodput; idle round trip, loaded mean and 99th percentile (ns).

    The loaded ones are 0 where no ping was answered.
    """

    goodput: Fraction
    idle: int
    mean: int
    p99: int
    refused: int


def vm(host: Mapping[str, Any], kernel: str, qdisc: str, mode: str, test: str, seed: int) -> Run:
    """Simulate a row of the VM: idle first, then loaded."""
    idle, _ = _vm(host, kernel, qdisc, mode, test, seed, uploads=0)
    loaded, device = _vm(host, kernel, qdisc, mode, test, seed, uploads=UPLOADS[test])
    return Run(loaded[0], idle[1], loaded[1], loaded[2], device.counters()["refused"])


def _vm(
    host: Mapping[str, Any],
    kernel: str,
    qdisc: str,
    mode: str,
    test: str,
    seed: int,
    *,
    uploads: int,
) -> tuple[tuple[Fraction, int, int], Device]:
    simulation = Simulation(seed, local=True)
    queues = host["cpus"]
    config = CakeConfig(rate=VM_RATE // 8, tins=MODES[mode], mq_kernel=kernel)
    single = qdisc == "cake"
    cost = host["ns"]
    if single:
        service = cost["single_cake_serial"][f"{mode}_{test}"]
        children: list[QueueDisc] = [Cake(simulation.pool, simulation.random(8), config)]
    else:
        carrying = min(queues, UPLOADS[test])
        service = spread_service(cost[f"per_packet_total_{test}"], queues, carrying)
        children = list(CakeMq(simulation.pool, simulation.random(8), config, queues).children)
    warm, cold = visit_costs(host, TINS[mode])
    processors = Processors(
        service, False, host["softnet_backlog"], warm, cold, host["sync_interval_ns"], duty=True
    )
    rtt = max(0, round(host["base_rtt_ms"] * MS) - service)
    device = _link(simulation, children, queues, processors, Path(rtt=rtt))
    for number in range(uploads):
        dscp = RRUL_MARKS[number] if test == "rrul" else 0
        simulation.add_tcp("up", dscp=dscp, start=number * MS)
        if test == "rrul" and not single:
            device.place(number, number)  # each sender on a processor of its own
    simulation.add_ping()
    return _measure(simulation, 2 * SECOND, SECOND), device


def _link(
    simulation: Simulation,
    children: Sequence[QueueDisc],
    queues: int,
    processors: Processors,
    path: Path,
) -> Device:
    """Put a device with these qdiscs in place."""
    made: list[Device] = []
    root = children[0] if len(children) == 1 else Queues(simulation.pool, children)

    def device(schedule: Any, qdisc: Any, following: Any, options: Any, veil: Any) -> Interface:  # noqa: ANN401
        made.append(
            Device(schedule, qdisc, children, following, options, queues, None, processors, veil)
        )
        return made[0]

    simulation.link(root, Fifo(simulation.pool, 1 << 40), path, device)
    return made[0]


def _measure(simulation: Simulation, duration: int, warmup: int) -> tuple[Fraction, int, int]:
    result = simulation.run(duration, warmup)
    rates = [flow.goodput for flow in result.flows if flow.kind == "tcp"]
    trip = result.flows[-1].round_trip
    assert trip is not None
    goodput = Fraction(sum(rates), 1_000_000)
    if not trip.samples:
        return goodput, 0, 0
    return goodput, int(trip.mean()), int(trip.quantile(99, 100))


def router(host: Mapping[str, Any], kernel: str, mode: str, seed: int, visit: int = 0) -> Run:
    """Simulate a row of the router.

    Args:
        host: the cost profile.
        kernel: as the document calls it.
        mode: of the tins.
        seed: of the run.
        visit: cost of a visited flow queue (ps), instead of the profile's; 0 for the profile's.
    """
    simulation = Simulation(seed)
    queues = host["cpus"]
    config = CakeConfig(rate=ROUTER_RATE // 8, tins=MODES[mode], mq_kernel=KERNELS[kernel])
    children = list(CakeMq(simulation.pool, simulation.random(8), config, queues).children)
    cost = visit or visit_costs(host, TINS[mode])[0]
    processors = Processors(
        host["ns"]["per_packet_total"],
        True,
        visit_warm=cost,
        visit_cold=cost,
        sync_interval=host["sync_interval_ns"],
    )
    slow = kernel == "this_patch"
    path = Path(
        rtt=ROUTER_RTT,
        beyond=host["link_rate_bps_this_patch"] if slow else 0,
        beyond_limit=HYPOTHESIS_QUEUE,
    )
    device = _link(simulation, children, queues, processors, path)
    for number in range(ROUTER_STREAMS[kernel]):
        simulation.add_tcp("up", start=number * MS)
    simulation.add_ping()
    fast = mode == "ds8" or slow
    goodput, mean, p99 = _measure(simulation, (2 if fast else 4) * SECOND, 2 * SECOND)
    return Run(goodput, 0, mean, p99, device.counters()["refused"])


VM_ROWS = [
    (label, qdisc, mode, test)
    for label, qdisc in (
        ("net-next", "cake"),
        ("net-next", "mq"),
        ("this_patch", "mq"),
        ("before_15c2715a5264", "mq"),
    )
    for mode in ("be", "ds3")
    for test in ("rrul", "nup")
]
ROUTER_ROWS = [(label, mode) for label in ("net-next", "this_patch") for mode in MODES]


def study(
    seed: int = 1,
    vm_host: Mapping[str, Any] | None = None,
    router_host: Mapping[str, Any] | None = None,
) -> Study:
    """Run every row."""
    vm_host = vm_host or profiles.host(VM)
    router_host = router_host or profiles.host(ROUTER)
    tasks_of: list[tuple[Any, ...]] = []
    for label, qdisc, mode, test in VM_ROWS:
        repeats = SEEDS if test == "nup" and qdisc == "mq" else 1
        tasks_of += [
            ("vm", (vm_host, KERNELS[label], qdisc, mode, test, seed + more))
            for more in range(repeats)
        ]
    tasks_of += [("router", (router_host, label, mode, seed)) for label, mode in ROUTER_ROWS]
    slope = [(visit, seed + more) for visit in SLOPE_VISITS for more in range(SLOPE_SEEDS)]
    tasks_of += [("router", (router_host, "net-next", "ds4", at, visit)) for visit, at in slope]
    made = tasks.run(_one, tasks_of)
    found: dict[tuple[str, str, str], Ours] = {}
    for label, qdisc, mode, test in VM_ROWS:
        repeats = SEEDS if test == "nup" and qdisc == "mq" else 1
        runs, made = made[:repeats], made[repeats:]
        found |= _vm_figures(label, qdisc, mode, test, runs)
    for label, mode in ROUTER_ROWS:
        found |= _router_figures(label, mode, made.pop(0))
    return Study(
        "mq-rate-adjust",
        {f"vm {name}": value for name, value in profiles.constants(dict(vm_host)).items()}
        | {
            f"router {name}": value for name, value in profiles.constants(dict(router_host)).items()
        },
        found,
        {
            "text": "prose; see the rows",
            "loaded RTT (load)": "no ping was answered: a tin with the whole rate of its queue "
            "is always on schedule and starves those below it",
        },
        (),
        (_slope(slope, made),),
    )


def _one(which: str, arguments: tuple[Any, ...]) -> Run:
    return vm(*arguments) if which == "vm" else router(*arguments)


def _vm_figures(
    label: str, qdisc: str, mode: str, test: str, runs: Sequence[Run]
) -> dict[tuple[str, str, str], Ours]:
    row = f"veth-{label}-{qdisc}-{mode}-{test}"
    scans = label == "net-next" and qdisc == "mq"
    kind, note = EMERGENT, "the shaper's rate, as it should be"
    if qdisc == "cake":
        kind, note = CALIBRATED, "the lock's time was fitted to it"
    elif scans:
        kind, note = CALIBRATED, "time of packets and of visits was fitted to it"
    if len(runs) > 1:
        low, high = (float(pick(run.goodput for run in runs)) for pick in (min, max))
        note += f"; median of {len(runs)} seeds, {low:.0f} .. {high:.0f}"
    idle_kind, idle_note = (
        (CALIBRATED, "cold visits were fitted to it") if scans else (CALIBRATED, "the base itself")
    )
    middle = median(run.goodput for run in runs)
    found = {
        (row, "throughput (tput)", "Mbit/s"): Ours(middle, kind, note),
        (row, "idle RTT (base)", "ms"): Ours(
            Fraction(int(median(run.idle for run in runs)), MS), idle_kind, idle_note
        ),
    }
    waited = int(median(run.p99 for run in runs))
    if waited:
        busy = qdisc == "cake" or middle < Fraction(VM_RATE, 1_100_000)
        found[row, "loaded RTT (load)", "ms"] = Ours(
            Fraction(waited, MS), EMERGENT, BACKLOG if busy else QUEUES_ALONE
        )
    return found


def _router_figures(label: str, mode: str, run: Run) -> dict[tuple[str, str, str], Ours]:
    row = f"ipq8074a-{label}-{mode}"
    kind, note = CALIBRATED, "the time of a visit was fitted to it"
    fast = label == "this_patch" or mode == "ds8"
    if label == "this_patch":
        kind, note = CALIBRATED, "hypothesis: a link of 1 Gbit/s in the way"
    elif mode == "ds8":
        kind, note = EMERGENT, "no tins to purge: the shaper's rate"
    elif mode == "ds4":
        note = "falls with every microsecond of a scan: see below"
    return {
        (row, "throughput (tput)", "Mbit/s"): Ours(run.goodput, kind, note),
        (row, "loaded RTT (load)", "ms"): Ours(
            Fraction(run.p99, MS), EMERGENT, ANSWERED if fast else SCANS_ALONE
        ),
    }


def _slope(
    slope: Sequence[tuple[int, int]], made: Sequence[Run]
) -> tuple[str, list[str], list[list[str]]]:
    table = []
    for visit in SLOPE_VISITS:
        rates = [
            float(run.goodput) for (at, _), run in zip(slope, made, strict=True) if at == visit
        ]
        scan = visit * 4096 / 1_000_000
        table.append([f"{scan:.0f} us", f"{min(rates):.0f}", f"{max(rates):.0f}"])
    return (
        f"router, diffserv4: what a longer scan leaves (Mbit/s, {SLOPE_SEEDS} seeds)",
        ["scan takes", "least", "most"],
        table,
    )


def report(rows: FilePath | None, seed: int, repeat: int | None, as_json: bool) -> int:
    """Run and print it; see `tcc.experiments.command.report`."""
    return command.report(study, rows, seed, repeat, json=as_json)
