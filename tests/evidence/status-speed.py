"""Reading 1,000 qdiscs for `tcc status` takes at most half the time of `tc -s -j qdisc show`."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOAL = 0.5


def main() -> int:
    command = [sys.executable, ROOT / "benchmarks/netlink.py", "1000", "25"]
    lines = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    rows = dict(line.split(" ", 2)[:2] for line in lines.splitlines())
    for name in ("tc-dump", "status", "status-ratio"):
        print(name, rows[name])
    return 0 if float(rows["status-ratio"]) <= GOAL else 1


sys.exit(main())
