"""Two local workers are at least 1.8 times as fast as one, two Dask workers 1.6 times; when idle.

Whole commands are timed, in turns, and the least of several counts. As a control two sweeps of
one process each run at the same time: what the machine itself has to give.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "docs" / "examples" / "home.tcc"
GRID = ["--vary", "sync_up=20mbit..40mbit/5", "--vary", "wan.egress.rtt=20ms..100ms/5"]
SEEDS = 4
ROUNDS = 3
TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()", "sweep", str(HOME), "--json"]
LOCAL, DASK = 1.8, 1.6


def timed(commands: list[list[str]]) -> tuple[float, float, set[str]]:
    """Run commands at the same time; return seconds, CPU seconds of them, and what they print."""
    start, before = time.monotonic(), os.times()
    running = [subprocess.Popen(one, stdout=subprocess.PIPE, text=True) for one in commands]
    out = {process.communicate()[0] for process in running}
    if any(process.returncode not in (0, 1) for process in running):
        sys.exit("a sweep failed")
    after = os.times()
    used = after.children_user + after.children_system
    return time.monotonic() - start, used - before.children_user - before.children_system, out


@contextmanager
def dask(folder: str, *arguments: str, ready: str) -> Iterator[str]:
    """Run a part of a cluster; yield what its log says when it is ready."""
    log = Path(folder, f"{time.monotonic_ns()}.log")
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments, "--host", "127.0.0.1", "--no-dashboard"],
            stdout=file,
            stderr=file,
            cwd=folder,
        )
    try:
        while (found := re.search(ready, log.read_text())) is None:
            if process.poll() is not None:
                sys.exit(log.read_text())
            time.sleep(0.1)
        yield found[1]
    finally:
        process.kill()
        process.wait()


def main() -> int:
    sweep = [*TCC, *GRID, "--seeds", str(SEEDS)]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        address = stack.enter_context(
            dask(folder, "scheduler", "--port", "0", ready=r"Scheduler at: +(tcp://\S+)")
        )
        for _ in range(2):
            worker = ["worker", address, "--no-nanny", "--nthreads", "1"]
            stack.enter_context(dask(folder, *worker, ready=r"(Registered to)"))
        cases = {
            "one process": [[*sweep, "--jobs", "1"]],
            "two processes": [[*sweep, "--jobs", "2"]],
            "two Dask workers": [[*sweep, "--cluster", address]],
            "two sweeps at once": [[*sweep, "--jobs", "1"]] * 2,
        }
        taken: dict[str, list[float]] = {name: [] for name in cases}
        used: dict[str, float] = {}
        printed: set[str] = set()
        for _ in range(ROUNDS):
            for name, commands in cases.items():
                wall, used[name], out = timed(commands)
                taken[name].append(wall)
                printed |= out
    least = {name: min(times) for name, times in taken.items()}
    one = least["one process"]
    for name, times in taken.items():
        shown = " ".join(f"{each:.1f}" for each in times)
        print(f"{name:19}{least[name]:6.1f} s, the least of {shown}; {used[name]:.1f} s of CPU")
    local, cluster = one / least["two processes"], one / least["two Dask workers"]
    print(f"two processes {local:.2f}x one, at least {LOCAL}")
    print(f"two Dask workers {cluster:.2f}x one, at least {DASK}")
    print(f"the machine: two sweeps at once {2 * one / least['two sweeps at once']:.2f}x one")
    print(f"CPU of two processes over one: {used['two processes'] / used['one process']:.3f}")
    said = "the same bytes" if len(printed) == 1 else "DIFFERENT bytes"
    load, processors = os.getloadavg()[0], os.cpu_count()
    print(f"load average {load:.1f} on {processors} processors; all printed {said}")
    return 0 if local >= LOCAL and cluster >= DASK and len(printed) == 1 else 1


sys.exit(main())
