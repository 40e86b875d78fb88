"""CAKE, compiled, against the traces recorded from Linux 7.3: no difference."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tcc.engine import compiled, replay  # noqa: E402

if not compiled():
    sys.exit("the engine is not compiled: make dev")
DATA = ROOT / "tests" / "data"
sys.exit(
    replay.main([str(DATA / "cake-vectors.json.gz"), str(DATA / "cake-traffic-vectors.json.gz")])
)
