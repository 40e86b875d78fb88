"""Parsing, building and checking: 20,000 lines per CPU-second at least, linear to 10^6 lines."""

import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks/lint.py"

rates = {}
print("    lines  built/CPU-s linted/CPU-s memory/text findings")
for lines in (10_000, 100_000, 1_000_000):
    command = [sys.executable, str(BENCHMARK), "--one", str(lines)]
    line = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    print(line, end="")
    rates[lines] = float(line.split()[2].replace(",", ""))
# Linear: a hundred times the text takes no more than a hundred and fifty times as long.
sys.exit(min(rates.values()) < 20_000 or rates[1_000_000] * 1.5 < rates[10_000])
