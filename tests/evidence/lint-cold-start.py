"""A cold `tcc lint home.tcc` takes at most a third of `sqlfluff lint` on SQL of the same size."""

import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import lint as benchmark  # noqa: E402

times = benchmark.cold(with_sqlfluff=True)
ours, theirs = (statistics.median(times[name]) for name in ("tcc lint home.tcc", "sqlfluff lint"))
sys.exit(3 * ours > theirs)
