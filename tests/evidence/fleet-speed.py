"""Fleets: 1,000 sites a second are rendered on two cores, be they all alike or all different.

Counted in CPU time, as other work on the machine takes from wall time: 500 sites per CPU-second,
of a site its own rate and name, and one of nine devices.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.fleet import measure  # noqa: E402

plans, any_ = measure(4000, 1, plans=True), measure(4000, 1)
for one in (plans, any_):
    print(f"{one['table']}: {one['sites per CPU-second']} sites per CPU-second, "
          f"{one['sites per second, two processes']} a second by the clock in two processes "
          f"(load {one['load average']:.0f}), {one['files']} files")  # fmt: skip
same = plans["one process writes the same"] and any_["one process writes the same"]
print(f"one process writes the same bytes as two: {same}")
slowest = min(int(str(one["sites per CPU-second"])) for one in (plans, any_))
sys.exit(not same or slowest < 500)
