"""Lint 10,000 files: without a cache, filling it, from it; sqlfluff on files of the same size.

    python benchmarks/lint_many.py [--files N] [--no-sqlfluff] [--sample N]

Each file is a household of its own, 42 lines. Wall time, CPU time of all processes and the peak
memory of the largest. sqlfluff (installed into the cache directory, with as many processes) gets
a sample of files of the same size; its time per file is what is compared.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from lint import SITE

ROOT = Path(__file__).parents[1]
GOAL = 1 / 3
"""Of sqlfluff's time per file: what design.md asks of a single one."""
QUERY = (
    "SELECT\n    a.name,\n    COUNT(*) AS flows_{n}\nFROM sites AS a\n"
    "INNER JOIN flows AS b ON a.id = b.site\nWHERE b.rate > {n}\nGROUP BY a.name;\n\n"
)


CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tcc-bench"


class Took(NamedTuple):
    """What a run took."""

    wall: float
    cpu: float
    peak: int


def sqlfluff() -> Path:
    """Return the program, installed into an environment of its own when it is not there yet."""
    folder = CACHE / "sqlfluff"
    if not (folder / "bin/sqlfluff").exists():
        venv.create(folder, with_pip=True)
        subprocess.run([folder / "bin/pip", "install", "-q", "sqlfluff"], check=True)
    return folder / "bin/sqlfluff"


def measured(command: list[str], folder: Path, environment: dict[str, str]) -> Took:
    """Run a command that finds nothing, and say what it took."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False,
    )  # fmt: skip
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout[-2000:]}")
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Took(wall, cpu, after.ru_maxrss)


def show(what: str, took: Took, files: int) -> None:
    """Print one row."""
    print(
        f"{what:<44} {files:>7,} {took.wall:>8.2f} {took.cpu:>8.2f} {1e3 * took.wall / files:>9.2f}"
        f" {took.peak / 1024:>8.0f}",
        flush=True,
    )


def policies(folder: Path, files: int) -> int:
    """Write the files; return the bytes of one."""
    folder.mkdir()
    for n in range(files):
        (folder / f"site{n:05}.tcc").write_text(SITE.format(n=n))
    return len(SITE.format(n=files - 1))


def frozen(folder: Path) -> Path:
    """Copy the program, so that an edit meanwhile does not void what it has cached."""
    ignored = shutil.ignore_patterns("__pycache__", "*.c")
    for name in ("tcc", "grammar", "plugins"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    return folder


def queries(folder: Path, files: int, size: int) -> None:
    """Write SQL files of a size, in sqlfluff's own taste."""
    folder.mkdir()
    for n in range(files):
        text = ""
        while len(text) < size:
            text += QUERY.format(n=1000 * n + len(text))
        (folder / f"query{n:05}.sql").write_text(text[:-1])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--files", type=int, default=10_000)
    options.add_argument("--sample", type=int, default=200, help="files for sqlfluff")
    options.add_argument("--no-sqlfluff", action="store_true")
    chosen = options.parse_args()
    jobs = str(len(os.sched_getaffinity(0)))
    print(f"{jobs} processors\n{'':<44} {'files':>7} {'wall s':>8} {'CPU s':>8} {'ms/file':>9} "
          f"{'peak MiB':>8}")  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        size = policies(folder / "policies", chosen.files)
        environment = os.environ | {
            "XDG_CACHE_HOME": str(folder / "cache"),
            "PYTHONPATH": str(frozen(folder / "program")),
        }
        lint = [sys.executable, "-m", "tcc", "lint", "--jobs", jobs]
        runs = {
            "tcc lint --no-cache": [*lint, "--no-cache", "policies"],
            "tcc lint, the cache empty": [*lint, "policies"],
            "tcc lint, nothing changed": [*lint, "policies"],
        }
        took = {what: measured(command, folder, environment) for what, command in runs.items()}
        for what, one in took.items():
            show(what, one, chosen.files)
        if chosen.no_sqlfluff:
            return 0
        queries(folder / "queries", chosen.sample, size)
        command = [str(sqlfluff()), "lint", "--dialect", "ansi", "--processes", jobs, "queries"]
        peer = measured(command, folder, environment)
        show("sqlfluff lint, files of the same size", peer, chosen.sample)
    ratio = took["tcc lint --no-cache"].wall / chosen.files / (peer.wall / chosen.sample)
    print(f"per file tcc takes {ratio:.4f} of sqlfluff's time (goal: {GOAL:.2f} at most)")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
