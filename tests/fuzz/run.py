"""Give readers of tcc bytes that coverage guides.

    run.py [TARGET ...] [--seconds N] [--jobs N] [--record]

It takes atheris (`pip install --group fuzz`). What a run finds is written to build/fuzz/TARGET;
put it into tests/fuzz/found/TARGET, and test_found.py keeps trying it. A run goes on from what
earlier ones kept in build/fuzz/TARGET/corpus. --record writes the figures into docs/security.md.
"""

import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs/security.md"
LONGEST_INPUT = 1 << 15
SLOWEST = 20
"""Seconds that one input may take before it counts as found."""
MEMORY = 2048
"""MiB that a target may take."""


class Outcome(NamedTuple):
    """How a run of one target went; its figures as text, `?` where it told none."""

    target: str
    seconds: int
    inputs: str
    edges: str
    held: bool

    def __str__(self) -> str:
        said = f"{self.target:12} {self.inputs:>9} inputs, {self.edges:>6} edges"
        if not self.held:
            return f"{said}: FOUND something, see build/fuzz/{self.target}"
        return f"{said}: nothing found"


def fuzz(target: str, folder: Path, seconds: int) -> None:
    """Run one target in this process, which libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=["tcc", "tcc_plugins", "http"]):
        from tests.fuzz.targets import TARGETS
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(TARGETS[target].seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = [
        f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT}", f"-timeout={SLOWEST}",
        f"-rss_limit_mb={MEMORY}", f"-artifact_prefix={folder}/", "-print_final_stats=1",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(corpus)], TARGETS[target].run)
    atheris.Fuzz()


def watched(target: str, seconds: int) -> Outcome:
    """Run one target in a process of its own."""
    folder = ROOT / "build/fuzz" / target
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, "--inside", target, "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    runs = re.search(r"number_of_executed_units: *(\d+)", done.stderr)
    edges = re.findall(r"cov: (\d+)", done.stderr)
    (folder / "log").write_text(done.stdout + done.stderr)
    return Outcome(
        target, seconds, runs[1] if runs else "?", edges[-1] if edges else "?", not done.returncode
    )


def recorded(page: str, outcome: Outcome) -> str:
    """Return the page with the figures of one target in its row: seconds, inputs, edges."""
    rows = page.splitlines(keepends=True)
    for number, row in enumerate(rows):
        if row.startswith(f"| `{outcome.target}` |"):
            cells = row.split(" | ")
            cells[2:5] = [f"{int(one):,}" for one in outcome[1:4]]
            rows[number] = " | ".join(cells)
            return "".join(rows)
    raise KeyError(outcome.target)


def main() -> int:
    """Run the targets that are named, or all; 1 where one found something."""
    sys.path.insert(0, str(ROOT))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    try:
        import atheris  # noqa: F401
    except ImportError:
        print("fuzz: atheris is missing: pip install --group fuzz", file=sys.stderr)
        return 2
    if chosen.inside:
        fuzz(chosen.inside, ROOT / "build/fuzz" / chosen.inside, chosen.seconds)
    from tests.fuzz.targets import TARGETS

    unknown = set(chosen.targets) - set(TARGETS)
    if unknown:
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    with ThreadPoolExecutor(chosen.jobs) as pool:
        names = chosen.targets or list(TARGETS)
        outcomes = list(pool.map(lambda name: watched(name, chosen.seconds), names))
    for outcome in outcomes:
        print(outcome)
        if chosen.record and outcome.held:
            PAGE.write_text(recorded(PAGE.read_text(), outcome))
    return 0 if all(outcome.held for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
