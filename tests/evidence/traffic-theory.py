"""Response functions, shares, round trips: traffic against theory."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

sys.exit(
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/engine/traffic"], check=False, cwd=ROOT
    ).returncode
)
