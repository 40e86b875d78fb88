"""10,000 policies: lint with and without its cache, beside sqlfluff on files of that size."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run the benchmark; it holds when a file takes at most a third of sqlfluff's time."""
    command = [
        sys.executable,
        str(ROOT / "benchmarks/lint_many.py"),
        "--sample",
        "30",
        *sys.argv[1:],
    ]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
