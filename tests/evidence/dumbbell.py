"""The reference dumbbell: 2 M data packets per CPU-s, 24 x real time, 0.4 of C, 64 MiB."""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import dumbbell  # noqa: E402

from tcc.engine import compiled  # noqa: E402

REPEAT = 9


def judge(made: dumbbell.Figures) -> list[tuple[bool, str]]:
    """Return, for each goal, whether it holds, and its name with the figure."""
    return [
        (made.packets >= 2e6, f"data packets per CPU-s: {made.packets / 1e6:.2f} M, goal >= 2 M"),
        (made.speed >= 24, f"times real time: {made.speed:.1f}, goal >= 24"),
        (made.per_event >= 0.4, f"events, of plain C's: {made.per_event:.2f}, goal >= 0.4"),
        (made.memory <= 64, f"memory: {made.memory} MiB, goal <= 64 MiB"),
    ]


def main() -> int:
    """Measure and judge; 1 if a goal is missed."""
    if not compiled():
        sys.exit("the engine is not compiled: make dev")
    with tempfile.TemporaryDirectory() as folder:
        binary = dumbbell.yardstick(folder)
        made = [dumbbell.compare(binary, *case, REPEAT) for case in dumbbell.CASES]
    goals = judge(made[0])
    for holds, words in goals:
        print(f"{words}: {'holds' if holds else 'missed'}")
    return 0 if all(holds for holds, _ in goals) else 1


sys.exit(main())
