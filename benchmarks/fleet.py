"""Sites a second that `tcc generate openwrt --vars sites.csv` renders, in two processes.

What is written goes to memory where there is a file system for that (`/dev/shm`): a disk's file
system may take longer to make a file than tcc takes to know what to write into it.
"""

import argparse
import filecmp
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
POLICY = ROOT / "docs" / "examples" / "branch.tcc"
MEMORY = "/dev/shm"
RATES = (10, 18, 25, 40, 50, 100)


def table(path: Path, sites: int, plans: bool = False) -> None:
    """Write a table of sites: no two alike, or with a few plans on a few devices."""
    lines = ["site,up,down,port"]
    for number in range(sites):
        up = RATES[number % len(RATES)] * 1000 + (0 if plans else number)
        lines.append(f"site-{number:05},{up}kbit,{up * 4}kbit,wan{number % 9}")
    path.write_text("\n".join(lines) + "\n")


def render(
    folder: Path, sites: int, jobs: int, plans: bool = False, forms: str = "batch,verify"
) -> tuple[float, float, str]:
    """Render all sites; return seconds of wall time, of CPU time, and what was printed."""
    table(folder / "sites.csv", sites, plans)
    words = ["generate", "openwrt", str(POLICY), "--vars", str(folder / "sites.csv")]
    command = [sys.executable, "-m", "tcc", *words, "-o", str(folder / f"out-{jobs}")]
    command += ["-O", f"forms={forms}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(
        [*command, "--jobs", str(jobs)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, done.stdout


def same(left: Path, right: Path) -> bool:
    """Whether two trees have the same files with the same contents."""
    files = sorted(path.relative_to(left) for path in left.rglob("*") if path.is_file())
    others = sorted(path.relative_to(right) for path in right.rglob("*") if path.is_file())
    if files != others:
        return False
    wrong = filecmp.cmpfiles(left, right, [str(path) for path in files], shallow=False)
    return not wrong[1] and not wrong[2]


def measure(sites: int, runs: int, plans: bool = False) -> dict[str, object]:
    """Return the best of some runs, and whether one process writes the same as two."""
    walls, cpus = [], []
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as name:
        folder = Path(name)
        for _ in range(runs):
            wall, cpu, said = render(folder, sites, 2, plans)
            walls.append(wall)
            cpus.append(cpu)
        render(folder, sites, 1, plans)
        files = sum(1 for path in (folder / "out-2").rglob("*") if path.is_file())
        equal = same(folder / "out-1", folder / "out-2")
    return {
        "sites": sites,
        "table": "a few plans" if plans else "no two sites alike",
        "files": files,
        "sites per second, two processes": round(sites / min(walls)),
        "sites per CPU-second": round(sites / min(cpus)),
        "load average": os.getloadavg()[0],
        "one process writes the same": equal,
        "said": said.strip(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=int, default=4000)
    parser.add_argument("--runs", type=int, default=3)
    args = parser.parse_args()
    for plans in (False, True):
        print(json.dumps(measure(args.sites, args.runs, plans), indent=2))


if __name__ == "__main__":
    main()
