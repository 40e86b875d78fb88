"""The reference dumbbell beside plain C: packets per CPU-second, events, memory."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

sys.exit(
    subprocess.run(
        [sys.executable, "benchmarks/dumbbell.py", "--interpreted"], check=False, cwd=ROOT
    ).returncode
)
