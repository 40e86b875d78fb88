"""Run `tcc verify` for the evidence scripts."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
CASES = ROOT / "tests" / "verify"
TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()", "verify"]


def verify(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command and return what it did."""
    return subprocess.run(
        [*TCC, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def verdicts(text: str) -> list[str]:
    """Return the lines of a report that are verdicts."""
    return [
        line for line in text.splitlines() if line.lstrip().startswith(("held", "MISSED", "NO"))
    ]
