"""The whole CAKE option space: policy, each back end, import: the same, or listed in the table."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
tests = ["tests/importing/test_round_trip.py"]
command = [sys.executable, "-m", "pytest", "-q", "--hypothesis-show-statistics", *tests]
done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
for line in done.stdout.splitlines():
    if line.startswith("tests/") or "passing examples" in line or "passed" in line:
        print(line.strip())
print(done.stdout[-2000:] if done.returncode else "")
sys.exit(done.returncode)
