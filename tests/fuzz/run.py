"""Give readers of tcc bytes that coverage guides: run.py [TARGET ...] [--seconds N] [--jobs N].

It takes atheris (`pip install --group fuzz`). What a run finds is written to build/fuzz/TARGET;
put it into tests/fuzz/found/TARGET, and test_found.py keeps trying it.
"""

import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LONGEST_INPUT = 1 << 15
SLOWEST = 20
"""Seconds that one input may take before it counts as found."""
MEMORY = 2048
"""MiB that a target may take."""


def fuzz(target: str, folder: Path, seconds: int) -> None:
    """Run one target in this process, which libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=["tcc", "tcc_plugins"]):
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


def watched(target: str, seconds: int) -> tuple[str, bool]:
    """Run one target in a process of its own; return a line about it, and whether it held."""
    folder = ROOT / "build/fuzz" / target
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, "--inside", target, "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    runs = re.search(r"number_of_executed_units: *(\d+)", done.stderr)
    edges = re.findall(r"cov: (\d+)", done.stderr)
    (folder / "log").write_text(done.stdout + done.stderr)
    said = (
        f"{target:12} {runs[1] if runs else '?':>9} inputs, {edges[-1] if edges else '?':>6} edges"
    )
    if done.returncode:
        return f"{said}: FOUND something, see {folder.relative_to(ROOT)}", False
    return f"{said}: nothing found", True


def main() -> int:
    """Run the targets that are named, or all; 1 where one found something."""
    sys.path.insert(0, str(ROOT))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2)
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
        results = list(pool.map(lambda name: watched(name, chosen.seconds), names))
    for line, _ in results:
        print(line)
    return 0 if all(held for _, held in results) else 1


if __name__ == "__main__":
    sys.exit(main())
