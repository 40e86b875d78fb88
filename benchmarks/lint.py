"""How long `tcc lint` takes: a cold start, and large policies.

    python benchmarks/lint.py [--sqlfluff] [LINES ...]

Cold start: CPU time of a process that lints docs/examples/home.tcc, beside that of Python
alone and, with --sqlfluff, of `sqlfluff lint` on SQL of the same size; the runs take turns. Both
programs are installed, as their users have them, into environments in the cache directory.
Large policies: lines per CPU-second of parsing, building and checking, and the growth of the
process's peak memory per byte of text, each in a process of its own.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from tcc import api
from tcc.collector import collection_paused
from tcc.source import Source

ROOT = Path(__file__).parents[1]
HOME = ROOT / "docs/examples/home.tcc"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tcc-bench"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
RUNS = 20

SITE = """\
# Site {n}: what one household wants.
let down_{n} = 100mbit
let up_{n}   = 40mbit

link wan-{n} {{
    device  "ppp{n}"
    framing pppoe-ptm           # as the provider says
    role    router

    egress {{
        bandwidth  95% of up_{n}
        tiers      diffserv4
        fairness   per-host
        rtt        50ms
        ack-filter on
    }}
    ingress {{
        bandwidth  90% of down_{n}
        tiers      diffserv4
        fairness   per-host
        dscp       wash
    }}
    tier voice {{ match dscp ef; match udp remote port 3478..3481 }}
    tier bulk  {{ match tcp remote port 6881..6999 }}
}}

objective "calls survive a full line at {n}" {{
    over    wan-{n}
    under   rrul for 20s rtt 40ms
    require egress  utilisation >= 95%
    require voice induced-latency p99 <= 10ms
    require voice loss <= 0.1%
}}
"""


def policy(lines: int) -> str:
    """Return a policy of about as many lines: one site after the other."""
    return "\n".join(SITE.format(n=n) for n in range(max(1, lines // (SITE.count("\n") + 1))))


def cpu_ms(command: Sequence[str], environment: dict[str, str]) -> float:
    """Return the CPU time of a process, its start included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1e3


def cold(with_sqlfluff: bool, runs: int = RUNS) -> dict[str, list[float]]:
    """Print, and return, the CPU times of each command."""
    ours = installed("tcc", str(ROOT), "--force-reinstall", "--no-deps")
    commands = {
        "python alone": [str(ours / "python"), "-c", "pass"],
        "tcc --version": [str(ours / "tcc"), "--version"],
        "tcc lint home.tcc": [str(ours / "tcc"), "lint", str(HOME)],
    }
    if with_sqlfluff:
        program = installed("sqlfluff", "sqlfluff") / "sqlfluff"
        commands["sqlfluff lint"] = [str(program), "lint", "--dialect", "ansi", str(sql())]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    times: dict[str, list[float]] = {name: [] for name in commands}
    for command in commands.values():
        cpu_ms(command, environment)  # fill the caches
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(cpu_ms(command, environment))
    print(f"cold start, CPU ms of {runs} runs   {'min':>6} {'median':>7}")
    for name, values in times.items():
        print(f"  {name:<28} {min(values):>6.0f} {statistics.median(values):>7.0f}")
    if with_sqlfluff:
        ratio = statistics.median(times["tcc lint home.tcc"]) / statistics.median(
            times["sqlfluff lint"]
        )
        print(f"  tcc takes {ratio:.2f} of sqlfluff's time (goal: 0.33)")
    return times


def installed(name: str, package: str, *again: str) -> Path:
    """Return where the programs of a package are, in an environment of its own.

    `again`: how to install it once more when the environment is there already.
    """
    folder = CACHE / name
    new = not (folder / "bin" / name).exists()
    if new:
        venv.create(folder, with_pip=True)
    if new or again:
        subprocess.run(
            [folder / "bin/pip", "install", "-q", package, *(() if new else again)],
            env=os.environ | {"TCC_PURE": "1"},
            check=True,
        )
    return folder / "bin"


def sql() -> Path:
    """Write SQL of the size of the policy, in sqlfluff's own taste."""
    path = CACHE / "same-size.sql"
    path.parent.mkdir(parents=True, exist_ok=True)
    text, size = "", HOME.stat().st_size
    while len(text) < size:
        text += (
            "SELECT\n    a.name,\n    COUNT(*) AS flows\nFROM sites AS a\n"
            "INNER JOIN flows AS b ON a.id = b.site\nWHERE b.rate > 100\nGROUP BY a.name;\n\n"
        )
    path.write_text(text[:-1])
    return path


def large(lines: int) -> None:
    """Measure one size in this process and print a line."""
    source = Source("policy.tcc", policy(lines))
    api.lint(api.load(Source("small.tcc", policy(100))))  # imports and tables are not measured
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with collection_paused():  # as the command does
        start = process_time()
        built = api.load(source)
        loaded = process_time()
        found = api.lint(built)
        done = process_time()
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert built.found == ()
    count = source.lines
    print(
        f"{count:>9,} {count / (loaded - start):>12,.0f} {count / (done - start):>12,.0f}"
        f" {(after - before) * 1024 / len(source.text):>10.1f}x {len(found):>8}"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sqlfluff", action="store_true")
    options.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options.add_argument("lines", type=int, nargs="*")
    chosen = options.parse_args()
    if chosen.one:
        large(chosen.one)
        return
    cold(chosen.sqlfluff)
    print(
        f"{'lines':>9} {'built/CPU-s':>12} {'linted/CPU-s':>12} {'memory/text':>11} {'findings':>8}"
    )
    for lines in chosen.lines or SIZES:
        subprocess.run([sys.executable, __file__, "--one", str(lines)], check=True)


if __name__ == "__main__":
    main()
