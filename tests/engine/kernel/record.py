"""Record what the 7.3 test kernel does to every train, for machines that do not have it.

    python -m tests.engine.kernel.record

writes tests/data/kernel-trains.json.gz; as root, with the test kernel (make uml-kernel).
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "kernel"))

from testkernel.report import read_report  # noqa: E402
from tests.engine.kernel.trains import RECORDING, TRAINS  # noqa: E402


def main() -> None:
    """Run the guests and write down what they say."""
    report: dict[str, Any] = {"trains": {}, "truesizes": {}}
    for name in ("guest_fair.py", "guest_shaped.py"):
        found = read_report(HERE / name)
        report["kernel"] = found["kernel"]
        report["trains"] |= found["trains"]
        report["truesizes"] |= found["truesizes"]
    if report["trains"].keys() != TRAINS.keys():
        raise SystemExit("two trains have the same name")
    text = json.dumps(report, separators=(",", ":")).encode()
    RECORDING.write_bytes(gzip.compress(text, mtime=0))
    print(f"{len(report['trains'])} trains of {report['kernel']}: {RECORDING}")


if __name__ == "__main__":
    main()
