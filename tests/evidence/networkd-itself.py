"""systemd-networkd itself makes of our files the qdiscs that the policies mean, under Linux 7.3."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
command = [
    sys.executable,
    "-m",
    "pytest",
    "-v",
    "-m",
    "uml",
    "tests/backends/test_networkd_itself.py",
]
sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode)
