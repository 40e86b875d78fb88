"""Each fitted constant moved by 10 %: what that does to the results (docs/experiments)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "experiments" / "sensitivity.py"
sys.exit(subprocess.run([sys.executable, str(SCRIPT), "--check"], check=False).returncode)
