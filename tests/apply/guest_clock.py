"""The wall clock jumps, forward and back, while a change waits to be confirmed."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

POLICY = 'link wan { device "v0"; egress { bandwidth 20mbit; qdisc cake } }\n'
JUMPS = {"none": 0, "a year forward": 31_536_000, "a year back": -31_536_000}
TRIAL = 60


def run(words):
    return subprocess.run(words.split(), capture_output=True, text=True, check=True).stdout


def shaped():
    return "cake" in run("tc qdisc show dev v0")


def one(folder, jump):
    """Apply on trial, let the clock jump; when is it undone, by a clock that cannot be set?"""
    policy = folder / "home.tcc"
    policy.write_text(POLICY)
    tcc = [sys.executable, "-P", "-m", "tcc", "apply", str(policy), "--yes"]
    environment = {**os.environ, "TCC_STATE_DIR": str(folder / "state")}
    done = subprocess.run(
        [*tcc, "--confirm", f"{TRIAL}s"], env=environment, capture_output=True, text=True,
        check=False, cwd="/",
    )  # fmt: skip
    made = time.clock_gettime(time.CLOCK_BOOTTIME)
    before = time.time()
    if jump:
        time.clock_settime(time.CLOCK_REALTIME, before + jump)
    jumped = time.time() - before
    time.sleep(TRIAL - 5)
    still = shaped()
    while shaped() and time.clock_gettime(time.CLOCK_BOOTTIME) - made < 3 * TRIAL:
        time.sleep(0.1)
    took = time.clock_gettime(time.CLOCK_BOOTTIME) - made
    return {"status": done.returncode, "said": done.stderr, "jumped": round(jumped),
            "still": still, "undone": not shaped(), "took": took}  # fmt: skip


def main():
    run("ip link add v0 type veth peer name v1")
    run("ip link set v0 up")
    with tempfile.TemporaryDirectory() as state:
        found = {}
        for name, jump in JUMPS.items():
            folder = Path(state, name)
            folder.mkdir()
            found[name] = one(folder, jump)
    print(json.dumps(found))


main()
