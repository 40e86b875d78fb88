"""10,000 runs, killed three times with SIGKILL: resumed without loss or repeat, the same bytes."""

import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

RUNS = 10_000
KILLS = (2_000, 5_000, 8_000)
POLICY = """
let up = 1mbit
link wan { device "eth0"; framing ethernet; role router; egress { bandwidth up; rtt 50ms } }
objective "tiny" {
    under tcp_nup 1 flow for 100ms rtt 20ms
    require ping induced-latency p99 <= 40ms
    require egress utilisation >= 50%
}
"""
TCC = [sys.executable, "-c", "from tcc.cli.main import main; main()", "sweep", "tiny.tcc"]
GRID = ["--vary", "up=1mbit..3mbit/20", "--vary", "wan.egress.rtt=10ms..100ms/10", "--seeds", "50"]


def start(folder: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*TCC, *GRID, "--json", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
    )


def rows(folder: str) -> dict[str, tuple[int, str]]:
    """Return place and result of every stored run."""
    path = Path(folder, "r.sqlite")
    with closing(sqlite3.connect(path, timeout=60)) as database:
        if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return {}
        found = database.execute("SELECT key, rowid, result FROM run").fetchall()
        assert len(found) == len({key for key, _, _ in found}), "a run is there twice"
    return {key: (place, result) for key, place, result in found}


def count(folder: str) -> int:
    with closing(sqlite3.connect(Path(folder, "r.sqlite"), timeout=60)) as database:
        there = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return database.execute("SELECT count(*) FROM run").fetchone()[0] if there else 0


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "tiny.tcc").write_text(POLICY)
        before: dict[str, tuple[int, str]] = {}
        for least in KILLS:
            sweep = start(folder, "--out", "r.sqlite")
            while not Path(folder, "r.sqlite").exists() or count(folder) < least:
                if sweep.poll() is not None:
                    print(f"it ended before it could be killed:\n{sweep.communicate()[1]}")
                    return 1
                time.sleep(0.1)
            sweep.kill()
            sweep.communicate()
            after = rows(folder)
            kept = sum(after.get(key) == row for key, row in before.items())
            print(
                f"killed with {len(after):,} stored; of {len(before):,} before, {kept:,} untouched"
            )
            if kept != len(before):
                return 1
            before = after
        sweep = start(folder, "--out", "r.sqlite")
        resumed, err = sweep.communicate()
        after = rows(folder)
        kept = sum(after.get(key) == row for key, row in before.items())
        new = len(after) - len(before)
        print(f"resumed: {len(after):,} stored, {new:,} of them new; exit {sweep.returncode} {err}")
        print(f"of {len(before):,} before, {kept:,} untouched")
        whole, _ = start(folder).communicate()
        points = len(json.loads(whole)["points"])
        same = resumed == whole
        print(f"{points} points, {len(whole):,} bytes of JSON, "
              f"{'the same as' if same else 'NOT those of'} an uninterrupted sweep")  # fmt: skip
        size = Path(folder, "r.sqlite").stat().st_size
        print(f"the file has {size:,} bytes: {size // RUNS} for a run")
        return 0 if same and len(after) == RUNS and kept == len(before) else 1


sys.exit(main())
