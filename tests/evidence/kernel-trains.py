"""Trains of packets through the real 7.3 kernel's qdiscs and the engine's: how many differ.

With `live` the trains are sent through the kernel now; without, what it was recorded to do is
compared (python -m tests.engine.kernel.record makes the recording anew).
"""

import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "kernel")]

from tests.engine.kernel.agree import RESOLUTION, compare  # noqa: E402
from tests.engine.kernel.trains import TRAINS, recording  # noqa: E402


def taken(live: bool) -> dict[str, object]:
    """Return what a kernel does, or did, to the trains."""
    if not live:
        return recording()
    from testkernel.report import read_report

    folder = ROOT / "tests" / "engine" / "kernel"
    both = [read_report(folder / name) for name in ("guest_fair.py", "guest_shaped.py")]
    return {
        "kernel": both[0]["kernel"],
        "trains": both[0]["trains"] | both[1]["trains"],
        "truesizes": both[0]["truesizes"] | both[1]["truesizes"],
    }


def main() -> int:
    """Compare them all; 0 if none differs."""
    live = "live" in sys.argv[1:]
    report = taken(live)
    kinds: Counter[str] = Counter()
    differ, packets, latest, drifting = 0, 0, 0, 0
    for name, train in TRAINS.items():
        result = compare(train, report["trains"][name], report["truesizes"])
        kinds[train.model[0]] += 1
        packets += result.packets
        if train.drifts:
            drifting = max(drifting, result.latest)
        else:
            latest = max(latest, result.latest)
        if result.found:
            differ += 1
            print(f"{name}: " + "; ".join(result.found)[:400])
    print(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    print(
        f"{'live' if live else 'recorded'} kernel {report['kernel']}: {len(TRAINS)} configurations,"
        f" {packets} packets, {differ} differ"
    )
    print(f"largest departure-time difference: {latest} ns (timer resolution {RESOLUTION} ns);")
    print(f"where a late timer costs tokens and the lateness adds up: {drifting} ns")
    return 1 if differ or len(TRAINS) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
