"""All figures beside those of the peers, from one run, as Markdown; --write: docs/performance.md.

    python benchmarks/peers.py [--install] [--write] [--quick]

The engine beside plain C, ns-3's FqCobalt and ns.py; lint beside sqlfluff; applying and listing
beside tc, as root, in a network namespace of its own; start-up; memory; many links. Both sides
take turns; of several runs the least counts. A peer that is not installed is a row that says so;
--install puts ns3, ns.py and sqlfluff into environments of their own in the cache directory.

--quick: one short run of each, which shows that all work; its figures are none.
Exit status 1 if a goal of design.md is missed.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(HERE)]

import _simulators as simulators  # noqa: E402
import dumbbell  # noqa: E402
import engine  # noqa: E402
import lint  # noqa: E402
import scale  # noqa: E402

PAGE = ROOT / "docs/performance.md"
PEERS = ("ns3", "ns.py", "sqlfluff")
BUSY = 0.5
"""Load average above which figures are not to be trusted."""


class Size(NamedTuple):
    """How much is measured."""

    runs: int
    steps: int
    """Packets of one run of enqueue and dequeue."""
    seconds: int
    """Simulated, beside plain C."""
    peer_seconds: int
    """Simulated, beside ns-3 and ns.py."""
    lines: int
    links: Sequence[int]


FULL = Size(5, 400_000, 10, 3, 100_000, scale.SIZES)
QUICK = Size(1, 20_000, 1, 1, 2_000, (1, 100))


class Row(NamedTuple):
    """A figure of ours, the peer's, their ratio, and what design.md asks."""

    what: str
    ours: str
    peer: str = ""
    ratio: str = ""
    goal: str = ""
    met: bool | None = None

    def __str__(self) -> str:
        """Return a row of a table in Markdown."""
        outcome = "" if not self.goal else "not measured"
        if self.met is not None:
            outcome = "met" if self.met else "**missed**"
        return f"| {' | '.join((*self[:5], outcome))} |"


def missing(name: str) -> str:
    """Return what stands where a peer's figure would."""
    return f"**{name}: not installed**: `benchmarks/peers.py --install` (as `pip install {name}`)"


def of_queues(size: Size, folder: str) -> Iterator[Row]:
    """CAKE's enqueue and dequeue of 64 flows, beside plain C."""
    program = engine.build(folder)
    goal = f"<= {engine.GOAL_NS} ns, <= {engine.GOAL_RATIO} x C"
    case = (64, engine.BESTEFFORT, engine.FLOWS, size.steps)
    mine, its = [], []
    for _ in range(size.runs):
        mine.append(engine.ours_apart(*case))
        if program:
            its.append(engine.theirs(program, *case))
    what, ns = "CAKE enqueue and dequeue, 64 flows", min(mine)[0]
    if not its:
        yield Row(what, f"{ns:.0f} ns", "**no C compiler**: `apt-get install gcc`", "", goal)
        return
    if mine[0][1] != its[0][1]:
        sys.exit(f"the yardstick did other work: {its[0][1]}, not {mine[0][1]}")
    ratio = ns / min(its)[0]
    met = ns <= engine.GOAL_NS and ratio <= engine.GOAL_RATIO
    yield Row(what, f"{ns:.0f} ns", f"plain C: {min(its)[0]:.0f} ns", f"{ratio:.2f}", goal, met)


def best(runs: Sequence[simulators.Speed]) -> simulators.Speed:
    """Return the run with the least CPU time for a packet."""
    return max(runs, key=lambda one: one.per_second)


def of_dumbbell(size: Size, flows: int, rate: int, folder: str) -> Iterator[Row]:
    """The reference dumbbell, beside plain C, ns-3 and ns.py."""
    case = simulators.Case(flows, rate, size.seconds)
    short = simulators.Case(flows, rate, size.peer_seconds)
    name = f"dumbbell, {flows} flows, {rate // 1_000_000} Mbit/s"
    reference = flows == 32
    binary = dumbbell.yardstick(folder) if shutil.which("cc") else None
    python = simulators.python_of("ns.py")
    ns3 = simulators.build_ns3(folder) if simulators.python_of("ns3") else None
    mine, c, again, theirs, pythons = [], [], [], [], []
    for _ in range(size.runs):
        mine.append(simulators.ours(case))
        c += [simulators.plain_c(binary, case)] if binary else []
        again.append(simulators.ours(short))
        theirs += [simulators.ns3(ns3, short)] if ns3 else []
        pythons += [simulators.nspy(python, short)] if python else []
    yield from _alone(name, case, best(mine), reference)
    if c:
        yield _beside_c(name, best(mine), best(c), reference)
    goal = ">= 100 x" if reference else ""
    yield _beside(f"{name}, ns-3 FqCobalt", "ns3", again, theirs, goal)
    yield _beside(f"{name}, ns.py Reno and DRR", "ns.py", again, pythons, "")


def _alone(
    name: str, case: simulators.Case, run: simulators.Speed, reference: bool
) -> Iterator[Row]:
    """What is asked of the engine by itself."""
    goals = (">= 2 M", ">= 24 x real time", "<= 64 MiB") if reference else ("", "", "")
    fast = case.seconds / run.cpu
    figures = (
        (f"{run.per_second / 1e6:.2f} M data packets per CPU-s", run.per_second >= 2e6),
        (f"{fast:.0f} x real time", fast >= 24),
        (f"{run.memory:.0f} MiB", run.memory <= 64),
    )
    for (figure, met), goal in zip(figures, goals, strict=True):
        yield Row(name, figure, "", "", goal, met if goal else None)


def _beside_c(name: str, run: simulators.Speed, c: simulators.Speed, reference: bool) -> Row:
    """Events per CPU-second; `dumbbell.c` says what it leaves out."""
    mine, its = run.events / run.cpu, c.events / c.cpu
    goal, met = (">= 0.4 of C", mine / its >= 0.4) if reference else ("", None)
    figures = f"{mine / 1e6:.1f} M events per CPU-s", f"plain C: {its / 1e6:.1f} M"
    return Row(f"{name}, per event", *figures, f"{mine / its:.2f}", goal, met)


def _beside(
    what: str,
    peer: str,
    mine: Sequence[simulators.Speed],
    its: Sequence[simulators.Speed],
    goal: str,
) -> Row:
    """Data packets per CPU-second of the run phase."""
    run = best(mine)
    ours = f"{run.per_second / 1e6:.2f} M data packets per CPU-s, {run.goodput:.0f} Mbit/s"
    if not its:
        return Row(what, ours, missing(peer), "", goal)
    other = best(its)
    theirs = f"{other.per_second:,.0f}, {other.goodput:.0f} Mbit/s, {other.memory:.0f} MiB"
    ratio = run.per_second / other.per_second
    return Row(what, ours, theirs, f"{ratio:.0f} x", goal, ratio >= 100 if goal else None)


def of_interpreted(size: Size) -> Iterator[Row]:
    """The same without compiling."""
    case = simulators.Case(32, 1_000_000_000, 1)
    run = best([simulators.ours(case, interpreted=True) for _ in range(min(size.runs, 3))])
    figure = f"{run.per_second:,.0f} data packets per CPU-s"
    yield Row("dumbbell, interpreted", figure, "", "", ">= 40,000", run.per_second >= 40_000)


def of_lint(size: Size) -> Iterator[Row]:
    """A cold start beside sqlfluff, and large policies."""
    has = simulators.python_of("sqlfluff") is not None
    with redirect_stdout(sys.stderr):
        times = lint.cold(has, 4 * size.runs)
    ours = min(times["tcc lint home.tcc"])
    what, figure = "`tcc lint home.tcc`, cold", f"{ours:.0f} ms CPU"
    yield Row(what, figure, f"Python alone: {min(times['python alone']):.0f} ms", "",
              "<= 150 ms", ours <= 150)  # fmt: skip
    if has:
        its = min(times["sqlfluff lint"])
        ratio = ours / its
        yield Row(f"{what}, beside SQL of the same size", figure, f"sqlfluff: {its:.0f} ms",
                  f"{ratio:.2f}", "<= 1/3", ratio <= 1 / 3)  # fmt: skip
    else:
        yield Row(f"{what}, beside SQL", figure, missing("sqlfluff"), "", "<= 1/3")
    one = [sys.executable, str(HERE / "lint.py"), "--one", str(size.lines)]
    runs = [simulators.printed(one, {"PYTHONPATH": str(ROOT)})[0] for _ in range(size.runs)]
    rate = max(int(words[2].replace(",", "")) for words in runs)
    grown = min(float(words[3].rstrip("x")) for words in runs)
    what = f"lint of {size.lines:,} lines"
    yield Row(what, f"{rate:,} lines per CPU-s", "", "", ">= 20,000", rate >= 20_000)
    yield Row(what, f"{grown:.1f} x the file in memory", "", "", "<= 40 x", grown <= 40)


def of_tc(size: Size) -> Iterator[Row]:
    """Applying, planning and listing 1,000 qdiscs beside tc."""
    if os.geteuid() or not shutil.which("tc"):
        why = "**not measured: needs root, and `tc` of iproute2**"
        yield Row("apply of 1,000 qdiscs", "", why, "", "<= 1.0 x tc -batch")
        yield Row("plan, nothing to change", "", why, "", "<= 1.0 x tc -j")
        yield Row("status of 1,000 qdiscs", "", why, "", "<= 0.5 x tc -s -j")
        return
    import apply  # noqa: PLC0415 - needs what only root's tests have
    import netlink  # noqa: PLC0415

    took = apply.measure(2 * size.runs)
    ratio = took.perform_ratio
    yield Row("apply of 1,000 qdiscs", f"{took.perform:.1f} ms", f"tc -batch: {took.tc_batch:.1f}",
              f"{ratio:.2f}", "<= 1.0 x tc -batch", ratio <= 1)  # fmt: skip
    ratio = took.plan_ratio
    yield Row("plan, nothing to change", f"{took.plan:.1f} ms", f"tc -j: {took.tc_show:.1f}",
              f"{ratio:.2f}", "<= 1.0 x tc -j", ratio <= 1)  # fmt: skip
    read = {name: value for name, value, _ in netlink.measure(1000, 3 * size.runs)}
    ratio = read["status-ratio"]
    yield Row("status of 1,000 qdiscs", f"{read['status']:.1f} ms",
              f"tc -s -j qdisc show: {read['tc-dump']:.1f}", f"{ratio:.2f}",
              "<= 0.5 x tc -s -j", ratio <= 0.5)  # fmt: skip


def of_imports(size: Size) -> Iterator[Row]:
    """Start-up: CPU time of an import over that of Python alone."""
    nspy, sqlfluff = simulators.python_of("ns.py"), simulators.python_of("sqlfluff")
    here = Path(sys.executable)
    asked = (
        ("tcc", here, "import tcc"),
        ("tcc.engine.simulation", here, "import tcc.engine.simulation"),
        ("ns.py", nspy, "import ns.packet.tcp_generator, ns.scheduler.drr"),
        ("sqlfluff", sqlfluff, "import sqlfluff"),
    )
    for name, python, code in asked:
        if python is None:
            yield Row(f"import of {name}", "", missing(name))
            continue
        runs = [
            [lint.cpu_ms([str(python), "-c", text], {**os.environ, "PYTHONPATH": str(ROOT)})
             for text in ("pass", code)]
            for _ in range(4 * size.runs)
        ]  # fmt: skip
        bare, loaded = (min(column) for column in zip(*runs, strict=True))
        figure = f"{loaded - bare:.0f} ms CPU"
        yield Row(f"import of {name}", *((figure, "") if python == here else ("", figure)))


def of_verify(size: Size) -> Iterator[Row]:
    """All objectives of the sample policy, as the command is used."""
    took = [scale.measured(["verify", str(lint.HOME)], ROOT) for _ in range(size.runs)]
    wall, peak = min(one.wall for one in took), min(one.peak for one in took)
    yield Row("`tcc verify home.tcc`", f"{wall:.2f} s", "", "", "<= 2 s", wall <= 2)
    yield Row("`tcc verify home.tcc`, memory", f"{peak:.0f} MiB")


def of_scale(size: Size) -> Iterator[Row]:
    """Many links, and what is refused."""
    for command, links, took in scale.runs(size.links):
        figure = f"{took.wall:.2f} s, {took.cpu:.2f} s CPU, {took.peak:.0f} MiB"
        wrong = took.status != 0
        many = "1 link" if links == 1 else f"{links:,} links"
        yield Row(f"{command} of {many}", f"exit {took.status}" if wrong else figure)
    for refusal in scale.refusals():
        figure = f"{refusal.took.cpu:.2f} s CPU, {refusal.took.peak:.0f} MiB"
        goal = f"refused: `{refusal.code}`"
        yield Row(refusal.asked, figure, "", "", goal, refusal.graceful)


def machine() -> list[str]:
    """Describe what this runs on."""
    model = next(
        (line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")),
        platform.machine(),
    )  # fmt: skip
    compiler = shutil.which("cc")
    version = "none"
    if compiler:
        said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
        version = said.stdout.partition("\n")[0]
    load = os.getloadavg()[0]
    return [
        f"- processor: {model}, {len(os.sched_getaffinity(0))} of {os.cpu_count()} cores",
        f"- kernel: {platform.release()}",
        f"- Python: {platform.python_version()}; C compiler: {version}",
        f"- engine: {'compiled' if engine.compiled() else '**interpreted**'}",
        f"- load average at the start: {load:.2f}",
    ]


def parts(size: Size, folder: str) -> Iterator[tuple[str, Iterator[Row]]]:
    """Name each table."""
    yield "Engine", of_queues(size, folder)
    for flows, rate, _ in dumbbell.CASES:
        yield "", of_dumbbell(size, flows, rate, folder)
    yield "", of_interpreted(size)
    yield "Lint", of_lint(size)
    yield "Apply, plan, status", of_tc(size)
    yield "Verify", of_verify(size)
    yield "Import", of_imports(size)
    yield "Many links, and limits", of_scale(size)


def measured(size: Size) -> Iterator[tuple[str, bool]]:
    """Return the tables, line by line, and whether each line is of a goal missed."""
    head = "| what | tcc | peer | ratio | goal | |\n|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        for title, rows in parts(size, folder):
            if title:
                yield f"\n## {title}\n\n{head}", False
            for row in rows:
                yield str(row), row.met is False


INTRODUCTION = """\
# Performance

{trust}

Written by one command, as root; `--install` puts the peers where it finds them again:

    python benchmarks/peers.py --install --write

Both sides of a row took turns in it; runs of each: {runs}, of which the least counts. CPU time is
user and system. The goals are those of [the design](design.md). To measure again, run the command
on a machine that does nothing else.
"""
BUSY_OR_QUICK = """\
```{{warning}}
**These figures are worthless**: {why}.
They show that the command works. Run it once more where nothing else runs, and this warning goes.
```"""
QUIET = "Figures of a machine that was idle when the command began."

NOTES = """
## What is compared

- Plain C: `benchmarks/yardstick.c` does what CAKE does for a packet, draw for draw;
  `benchmarks/dumbbell.c` what any program must do for the dumbbell, without losses and congestion
  control.
- ns-3: `benchmarks/dumbbell_ns3.cc`, compiled against the libraries of the PyPI package `ns3`.
  Cubic, FqCobalt in both directions; it has no CAKE, so no tins, host fairness or shaper. It
  carries real headers and sockets. Only the run phase counts.
- ns.py: `benchmarks/_dumbbell_nspy.py`. Reno, deficit round robin without drops.
- Simulated time beside ns-3 and ns.py: {seconds} s for all three; the first second, in which
  windows still grow, is in it.
- sqlfluff lints SQL as large as `home.tcc`, written in its own taste. tcc is installed without its
  compiled engine there, which lint does not need.
- tc: the same qdiscs, in a network namespace made for it. `tc` is a process, and starts; tcc is
  measured from the first message to the last answer.
- Many links: see `benchmarks/scale.py`. `verify` runs one objective of one second for each link,
  of 1,000 at the most: the next one takes as long as the last, and its memory is given back. What
  more links take there is the policy. `apply` sets a tbf with a FIFO in it on what leaves each
  device, and *nothing to do* is the same once more.
"""


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--install", action="store_true", help="install the peers first")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    parser.add_argument("--quick", action="store_true", help="one short run of each")
    asked = parser.parse_args()
    size = QUICK if asked.quick else FULL
    for name in PEERS if asked.install else ():
        if simulators.python_of(name) is None:
            simulators.install(name)
    busy, lines, missed = os.getloadavg()[0] > BUSY, [], False
    why = ["other programs kept the machine busy"] if busy else []
    why += ["`--quick` cut every run short"] if asked.quick else []
    trust = BUSY_OR_QUICK.format(why=", and ".join(why)) if why else QUIET
    lines.append(INTRODUCTION.format(runs=size.runs, trust=trust))
    lines += machine()
    print("\n".join(lines), flush=True)
    for line, wrong in measured(size):
        print(line, flush=True)
        lines.append(line)
        missed = missed or wrong
    lines.append(NOTES.format(seconds=size.peer_seconds))
    lines.insert(-1, f"\nLoad average at the end: {os.getloadavg()[0]:.2f}.")
    if asked.write:
        PAGE.write_text("\n".join(lines), encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
