"""Fleets: sites of a few plans are rendered at 1,000 a second on two cores; any sites as measured.

Counted in CPU time, as other work on the machine takes from wall time: 500 sites per CPU-second.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.fleet import measure  # noqa: E402

plans, any_ = measure(4000, 1, plans=True), measure(400, 1)
for one in (plans, any_):
    print(f"{one['table']}: {one['sites per CPU-second']} sites per CPU-second, "
          f"{one['sites per second, two processes']} a second by the clock in two processes "
          f"(load {one['load average']:.0f}), {one['files']} files")  # fmt: skip
same = plans["one process writes the same"] and any_["one process writes the same"]
print(f"one process writes the same bytes as two: {same}")
sys.exit(not same or int(str(plans["sites per CPU-second"])) < 500)
