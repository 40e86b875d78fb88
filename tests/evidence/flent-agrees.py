"""flent opens, prints and plots a prediction, and its means are ours: goodputs and round trips."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from _verify import EXAMPLES, verify

ROW = re.compile(r" (.+?) +: +([0-9.]+) +([0-9.]+|N/A) +([0-9.]+|N/A) (\S+) +(\d+)$")
CLOSE = {"Mbits/s": 0.006, "ms": 0.01}
"""flent prints two digits; of pings, ours is the mean of all, flent's that of intervals."""


def flent(folder: str, *arguments: str) -> str:
    try:
        return subprocess.run(
            ["flent", *arguments],
            capture_output=True, text=True, check=True, cwd=folder,
            env={**os.environ, "HOME": folder, "MPLBACKEND": "agg"},
        ).stdout  # fmt: skip
    except FileNotFoundError:
        sys.exit("no flent is installed: make -B dev, or pip install flent matplotlib")


def ours(objective: dict) -> list[tuple[float, float]]:
    """Return goodputs in Mbit/s and mean round trips in ms, with how close flent's must be."""
    found = []
    for about, one in zip(objective["flows"], objective["runs"][0]["flows"], strict=True):
        if about["direction"]:
            found.append((one["goodput"] / 1e6, CLOSE["Mbits/s"]))
        else:
            mean = one["round_trip"]["mean"] / 1e6
            found.append((mean, CLOSE["ms"] * mean))
    return found


def main() -> int:
    good = True
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "home.flent.gz"
        done = verify(str(EXAMPLES / "home.tcc"), "--no-mend", "--json", "--flent", str(out))
        for number, objective in enumerate(json.loads(done.stdout)["objectives"], 1):
            path = Path(folder) / f"home-{number}.flent.gz"
            lines = flent(folder, "-f", "summary", str(path)).splitlines()
            printed = [float(row[2]) for line in lines if (row := ROW.match(line))
                       if not re.search("avg|sum|totals|fairness", row[1])]  # fmt: skip
            expected = ours(objective)
            worst = 0.0
            for value, close in expected:
                nearest = min(printed, key=lambda one, value=value: abs(one - value))
                printed.remove(nearest)
                worst = max(worst, abs(nearest - value) / close)
            good = good and worst <= 1 and not printed
            print(f"{objective['text']}: {len(expected)} series, all means within "
                  f"{worst:.2f} of what is allowed")  # fmt: skip
            plot = "all_scaled" if objective["load"] == ["rrul"] else "totals"
            flent(folder, "-p", plot, "-o", f"{number}.png", str(path))
            size = (Path(folder) / f"{number}.png").stat().st_size
            print(f"  plotted as {plot}: {size} bytes")
            good = good and size > 10_000
    return 0 if good else 1


sys.exit(main())
