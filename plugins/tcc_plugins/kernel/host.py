"""Measurements in namespaces of this machine's own kernel."""

import subprocess
import sys
import tempfile
from pathlib import Path


class HostError(Exception):
    """The program failed; the message is what it said."""


def run(program: Path, job: str) -> str:
    """Run the program with a job here; return what it prints.

    Ctrl-C reaches the program too, as the terminal's process group; it removes its namespaces.

    Raises:
        HostError: it failed; with what it said.
    """
    with tempfile.TemporaryDirectory(prefix="tcc-kernel-") as folder:
        path = Path(folder) / "job"
        path.write_text(job)
        done = subprocess.run(
            [sys.executable, "-B", str(program), str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        said = done.stderr.strip()
        raise HostError(said.splitlines()[-1] if said else f"exit status {done.returncode}")
    return done.stdout
