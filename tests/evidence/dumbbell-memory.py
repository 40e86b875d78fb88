"""10^8 data packets in constant memory: no more than 2 MiB above what a million take."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = "import sys; sys.path.insert(0, 'benchmarks'); import dumbbell; dumbbell.endless(10**8)"

done = subprocess.run(
    [sys.executable, "-c", SCRIPT], check=True, cwd=ROOT, capture_output=True, text=True
)
print(done.stdout, end="")
few, many = (int(part.split()[-2]) for part in done.stdout.replace(";", "\n").splitlines())
sys.exit(many > few + 2)
