"""TCP through every shaper against recorded Linux runs: the table and its bands."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

sys.exit(
    subprocess.run(
        [sys.executable, "-m", "tcc", "experiment", "kernel-tcp"], check=False, cwd=ROOT
    ).returncode
)
