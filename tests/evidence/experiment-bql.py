"""Byte queue limits against the kernel's own algorithm (Linux 7.3.4) on hand-made completions."""

import gzip
import json
import sys
from pathlib import Path

from tcc.engine.host.dql import DynamicLimit

ROOT = Path(__file__).resolve().parents[2]
JIFFY = 1_000_000  # ns


def main() -> int:
    """Replay every trace; 0 if limit and room are the kernel's after every step."""
    recorded = json.loads(gzip.decompress((ROOT / "tests/data/kernel-dql.json.gz").read_bytes()))
    print(recorded["source"])
    steps, differ, limits = 0, 0, []
    for trace in recorded["traces"]:
        limit = DynamicLimit(least=trace["least"], most=trace["most"])
        for what, size, jiffies, wanted, allowed in trace["steps"]:
            if what == "q":
                limit.note(size)
            else:
                limit.report(size, jiffies * JIFFY)
            steps += 1
            differ += (limit.limit, limit.allowed()) != (wanted, allowed)
            limits.append(wanted)
    print(f"{len(recorded['traces'])} traces, {steps} steps, limits up to {max(limits)} bytes")
    print(f"{differ} steps differ")
    return int(differ > 0 or steps < 1000)


if __name__ == "__main__":
    sys.exit(main())
