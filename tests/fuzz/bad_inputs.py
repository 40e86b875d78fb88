"""Bad inputs and what becomes of them: each reader gets damaged copies of what it knows."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from tests.fuzz.damage import KINDS, damaged
from tests.fuzz.targets import TARGETS

TESTS = Path(__file__).resolve().parents[1]
SEEDS, EACH = 2, 40
STEP = 3
"""Characters between the cuts that tests/errors/test_policy.py makes."""


class Tried(NamedTuple):
    """What one reader was given, by kind, and what it did not answer."""

    name: str
    counts: Counter[str]
    unanswered: list[str]


def tried(name: str) -> Tried:
    """Give a reader damaged inputs, and those that broke it once."""
    counts: Counter[str] = Counter()
    unanswered = []
    for kind, data in _inputs(name):
        counts[kind] += 1
        try:
            TARGETS[name].run(data)
        except Exception as fault:  # whatever it is, it was not promised
            unanswered.append(f"{name}, {kind}: {fault!r} of {data[:80]!r}")
    return Tried(name, counts, unanswered)


def _inputs(name: str) -> Iterator[tuple[str, bytes]]:
    for number, seed in enumerate(islice(TARGETS[name].seeds(), SEEDS)):
        yield from damaged(seed, EACH, number)
    for path in sorted((TESTS / "fuzz/found" / name).glob("*")):
        yield "broke it once", path.read_bytes()


def table(results: list[Tried]) -> str:
    """Return the table of the page: a line for each reader, and the sums."""
    columns = (*KINDS, "broke it once")
    lines = [
        f"| reader | {' | '.join(columns)} | answered |",
        "|---" * (len(columns) + 2) + "|",
    ]
    for one in results:
        cells = " | ".join(str(one.counts[column]) for column in columns)
        total = one.counts.total()
        lines.append(f"| `{one.name}` | {cells} | {total - len(one.unanswered)} of {total} |")
    return "\n".join(lines) + "\n"


def policies() -> str:
    """Return how many bad policies are kept with what is said of them, and cut short."""
    whole = [*TESTS.glob("errors/*.tcc")]
    built = [*TESTS.glob("errors/policy/*.tcc")]
    cuts = sum(-(-len(path.read_text()) // STEP) for path in built)
    return (
        f"{len(whole) + len(built)} bad policies are kept with the words that are said of each, and"
        f" {cuts:,} beginnings of them have an answer"
    )
