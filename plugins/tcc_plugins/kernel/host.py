"""Measurements in namespaces of this machine's own kernel."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from tcc_plugins.kernel.child import end, start

PATIENCE = 30
"""Seconds that the program has to remove its namespaces."""


class HostError(Exception):
    """The program failed; the message is what it said."""


def run(program: Path, job: str) -> str:
    """Run the program, a package, with a job here; return what it prints.

    Nothing is imported from the working directory (`-P`), since this runs as root. Whatever ends
    this process ends the program too, which then removes its namespaces.

    Raises:
        HostError: it failed; with what it said.
    """
    with tempfile.TemporaryDirectory(prefix="tcc-kernel-") as folder:
        path = Path(folder) / "job"
        path.write_text(job)
        process = start(
            [sys.executable, "-BP", "-m", program.name, str(path)],
            signal.SIGTERM,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(program.parent)},
        )
        try:
            out, errors = process.communicate()
        finally:
            end(process, PATIENCE)
    if process.returncode:
        said = errors.strip()
        raise HostError(said.splitlines()[-1] if said else f"exit status {process.returncode}")
    return str(out)
