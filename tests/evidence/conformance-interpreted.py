"""CAKE, interpreted, against the traces recorded from Linux 7.3: no difference."""

import os
import sys
from pathlib import Path

os.environ["TCC_ENGINE"] = "interpreted"
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tcc.engine import compiled, replay  # noqa: E402

if compiled():
    sys.exit("TCC_ENGINE=interpreted did not hold")
DATA = ROOT / "tests" / "data"
sys.exit(
    replay.main([str(DATA / "cake-vectors.json.gz"), str(DATA / "cake-traffic-vectors.json.gz")])
)
