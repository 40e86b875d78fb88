"""`tcc lsp`, asked by a real client over stdio; every word of the grammar coloured, no other."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run the sessions and the colours, and print how many held."""
    command = [sys.executable, "-m", "pytest", "-q", "tests/lsp"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
