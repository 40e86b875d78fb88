"""Replay the fuzz corpus of traces, and damaged copies of the kernel's, on the engine that runs."""

from pathlib import Path

from tests.fuzz.damage import damaged
from tests.fuzz.traces import TARGETS

EACH = 12
CORPUS = Path(__file__).resolve().parents[2] / "build/fuzz/trace/corpus"


def main() -> None:
    """Run them; a fault ends the process."""
    target = TARGETS["trace"]
    seeds = list(target.seeds())
    kept = [path.read_bytes() for path in sorted(CORPUS.glob("*"))] if CORPUS.is_dir() else []
    bad = [data for number, seed in enumerate(seeds) for _, data in damaged(seed, EACH, number)]
    for data in (*seeds, *kept, *bad):
        target.run(data)
    print(f"{len(seeds)} whole, {len(bad)} damaged, {len(kept)} of the fuzz corpus")


if __name__ == "__main__":
    main()
