"""Do the job whose file is named, or be one process of it."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from . import datagrams, network, tcp
from .delay import delay
from .programs import CommandError, Job, role
from .side import SECOND, Side

LEAD = 2 * SECOND
"""Until all processes are up."""
LATE_SHARE = 2
"""Per cent of the time that a process may be late before its delays are none of the path's."""
TOO_FAST = (
    "for want of netem a process delays packets, and for {}% of the time they came faster than it "
    "reads: shape to less, give the machine to this alone, or use a kernel that has netem"
)
TOO_BUSY = "this machine is too busy to measure on: a sender or receiver was not up in time"
PR_SET_PDEATHSIG = 1


def traffic(job: Job, name: str, begin: int) -> None:
    """Be one side, then print what it counted."""
    side = Side(job, name, begin)
    client = name == "c"
    for number, flow in enumerate(job["flows"]):
        if flow["kind"] == "tcp":
            (tcp.connect if client else tcp.serve)(side, number, flow)
        elif flow["kind"] == "udp":
            sends = client is (flow["direction"] == "egress")
            (datagrams.flood if sends else datagrams.catch)(side, number, flow)
        else:
            (datagrams.probe if client else datagrams.echo)(side, number, flow)
    if time.monotonic_ns() > begin:
        raise SystemExit(TOO_BUSY)
    side.run()
    print(json.dumps(side.flows))


def until(moment: int) -> None:
    """Sleep until a moment."""
    time.sleep(max(0, moment - time.monotonic_ns()) / SECOND)


def measure(job: Job, path: str, prefix: str) -> dict[str, Any]:
    """Run both sides; count the qdiscs at the beginning and the end of the measured time."""
    delayed_by, made = network.build(job, prefix)
    places = {"s": "s", "c": "r" if job["local"] else "c"}
    begin = time.monotonic_ns() + job.get("lead", LEAD)
    running: dict[str, subprocess.Popen[str]] = {}
    try:
        if delayed_by == "process":
            running["n"] = role(f"{prefix}n", path, "n", prefix, str(begin))
            if not line_of(running["n"]):
                raise SystemExit(1)  # it has said why
        for name, place in places.items():
            running[name] = role(f"{prefix}{place}", path, name, prefix, str(begin))
        until(begin + job["warmup"])
        before = network.counted(made)
        until(begin + job["warmup"] + job["duration"])
        after = network.counted(made)
        said = {name: json.loads(rest_of(running[name])) for name in places}
        late = int(line_of(running["n"])) if "n" in running else 0
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    if late > job["duration"] * LATE_SHARE // 100:
        raise SystemExit(TOO_FAST.format(late * 100 // job["duration"]))
    return {
        "before": before, "after": after, **said, "release": os.uname().release,
        "delayed_by": delayed_by,
    }  # fmt: skip


def line_of(process: subprocess.Popen[str]) -> str:
    """Return the next line that a process prints; nothing when it has ended."""
    return process.stdout.readline() if process.stdout else ""


def rest_of(process: subprocess.Popen[str]) -> str:
    """Return what a process prints until it ends.

    Raises:
        SystemExit: it failed; it has said why.
    """
    text, _ = process.communicate()
    if process.returncode:
        raise SystemExit(1)
    return text


def main() -> None:
    """Do what the arguments say."""
    path = sys.argv[1]
    job = json.loads(Path(path).read_text())
    if len(sys.argv) > 2:
        name, prefix, begin = sys.argv[2:]
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # not to outlive the first
        if name == "n":
            delay(job, prefix, int(begin))
        else:
            traffic(job, name, int(begin))
        return
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))
    prefix = f"tcc{os.getpid()}"
    try:
        print(json.dumps(measure(job, path, prefix)))
    except CommandError as problem:
        raise SystemExit(str(problem)) from problem
    finally:
        network.remove(prefix)


if __name__ == "__main__":
    main()
