"""Runs an experiment and holds it to its bands and its time."""

import json
import resource
import subprocess
import sys
import time

MOST_SECONDS = 60
"""On two processors that have nothing else to do.

On a busy machine it takes longer; what is held to it is half the processors' time.
"""


def held(name: str) -> int:
    """Run `tcc experiment NAME`, print the judged figures, return its exit status."""
    began = time.monotonic()
    command = [sys.executable, "-m", "tcc", "experiment", name, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    if done.returncode not in (0, 1):
        print(done.stderr, file=sys.stderr)
        return done.returncode
    found = json.loads(done.stdout)
    for one in found["figures"]:
        if one["band_percent"] is not None:
            deviation = one["deviation_percent"]
            shown = "nothing" if deviation is None else f"{deviation:+.2f} %"
            print(
                f"{one['row']}: {one['metric']} {one['published']:g} {one['unit']}, ours "
                f"{one['ours']}: {shown} of {one['band_percent']:g} %, {one['kind']}"
            )
    for check in found["checks"]:
        print(f"{'holds' if check['holds'] else 'DOES NOT HOLD'}: {check['text']}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    each = (used.ru_utime + used.ru_stime) / 2
    print(f"{seconds:.0f} s; {each:.0f} s of each of two processors, at most {MOST_SECONDS}")
    return done.returncode or int(each > MOST_SECONDS)
