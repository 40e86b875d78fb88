"""The reference dumbbell uncompiled: 40,000 data packets per CPU-second."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import dumbbell

GOAL = 40_000

best = max(dumbbell.interpreted() for _ in range(3))
print(f"interpreted: {best:,.0f}, goal >= {GOAL:,}: {'holds' if best >= GOAL else 'missed'}")
sys.exit(best < GOAL)
