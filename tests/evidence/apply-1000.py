"""1,000 tbf qdiscs are performed, and found to be in place, no slower than by tc itself."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.exit(
    subprocess.run([sys.executable, str(ROOT / "benchmarks/apply.py")], check=False).returncode
)
