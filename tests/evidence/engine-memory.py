"""Memory and creation time of one CAKE, compiled: at most 2 MiB and 1 ms."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import engine as benchmark  # noqa: E402

from tcc.engine import compiled  # noqa: E402

if not compiled():
    sys.exit("the engine is not compiled: make dev")
size, micro = benchmark.instances(50)
print(f"one CAKE: {size:.0f} bytes resident with every tin in use, made in {micro:.0f} us")
sys.exit(size > 2 * 2**20 or micro > 1000)
