"""Run a program, and say what it took.

A process begins with the peak memory of the one that started it, so each is started by a Python
that has loaded next to nothing: less than some 10 MiB cannot be told.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

STARTER = """\
import os, sys, time
began = time.monotonic()
process = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
status, used = os.wait4(process, 0)[1:]
took = time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
with open(sys.argv[1], "w") as out:
    print(str([*took, os.waitstatus_to_exitcode(status)]), file=out)
"""


class Took(NamedTuple):
    """What a process took, and how it ended."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds, user and system."""
    peak: float
    """MiB resident: of it, or of the largest process it waited for."""
    status: int
    said: str
    """What it printed, at most a MiB; errors are left where they are unless asked for."""


def run_apart(
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    errors: bool = False,
) -> Took:
    """Run a program in a folder with more environment; `errors` go with the output, if asked."""
    with tempfile.TemporaryFile() as out, tempfile.NamedTemporaryFile() as counted:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", STARTER, counted.name, *command],
            cwd=folder, env=os.environ | dict(environment or {}), stdout=out,
            stderr=subprocess.STDOUT if errors else None, check=True,
        )  # fmt: skip
        out.seek(0)
        said = out.read(1 << 20).decode(errors="replace")
        wall, cpu, peak, status = json.load(counted)
    return Took(wall, cpu, peak, status, said)
