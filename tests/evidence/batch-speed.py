"""Apply 1,000 qdiscs no slower than `tc -batch`; list 1,000 in half the time of tc (root)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import netlink

GOALS = {"batch-ratio": 1.0, "dump-ratio": 0.5}


def main() -> int:
    rows = {name: (value, unit) for name, value, unit in netlink.measure(1000, 21)}
    for name, (value, unit) in rows.items():
        print(f"{name} {value:.3f} {unit}")
    missed = [name for name, goal in GOALS.items() if rows[name][0] > goal]
    for name, goal in GOALS.items():
        print(f"{name}: {'missed' if name in missed else 'holds'}, goal <= {goal}")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
