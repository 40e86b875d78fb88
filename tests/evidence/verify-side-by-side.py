"""Prediction and real kernel side by side, inside the bands, for five policies."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from _verify import EXAMPLES, TCC

SHAPED = """
link wan {{
    device "eth0"
    framing ethernet
    egress {{ bandwidth {rate}; {more} }}
}}
objective "{name}" {{
    under tcp_nup 4 flows for 8s rtt 20ms
    require egress utilisation >= 50%
}}
"""
POLICIES = {
    "cake-50": SHAPED.format(rate="50mbit", more="tiers besteffort", name="cake at 50 Mbit/s"),
    "tbf-fq-codel": SHAPED.format(
        rate="20mbit", name="fq_codel in tbf",
        more="qdisc tbf { burst 16KiB; latency 50ms; inner fq_codel }",
    ),
    "tbf-bfifo": SHAPED.format(
        rate="20mbit", name="a FIFO in tbf",
        more="qdisc tbf { burst 16KiB; latency 50ms; inner bfifo }",
    ),
}  # fmt: skip


def main() -> int:
    if not os.environ.get("TCC_UML_KERNEL"):
        print("TCC_UML_KERNEL names no kernel: see docs/verify.md")
        return 1
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        paths = [EXAMPLES / "home.tcc", EXAMPLES / "udp-server.tcc"]
        for name, text in POLICIES.items():
            paths.append(Path(folder) / f"{name}.tcc")
            paths[-1].write_text(text)
        for path in paths[: int(os.environ.get("TCC_POLICIES", "9"))]:
            done = subprocess.run(
                [*TCC, str(path), "--verifier", "reference,kernel", "--no-mend"],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            at = done.stdout.find("side by side")
            print(f"{path.name}: exit {done.returncode}", flush=True)
            print(done.stdout[done.stdout.rfind("\n\n", 0, at) :] if at >= 0 else done.stderr)
            failed |= at < 0 or "outside the band" in done.stdout
    return int(failed)


sys.exit(main())
