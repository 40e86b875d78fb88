"""Wrong policies miss on the real kernel as predicted, cake_mq with all flows on one queue too."""

import json
import os
import sys
from fractions import Fraction

from _verify import CASES, verify

POLICIES = (
    "fifo-under-tbf",
    "one-flow-of-many",
    "one-queue",
    "starved-download",
    "washed-before-tier",
)
"""Those whose testbed is not of another machine than the kernel's own."""


def main() -> int:
    if not os.environ.get("TCC_UML_KERNEL"):
        print("TCC_UML_KERNEL names no kernel: see docs/verify.md")
        return 1
    failed = False
    for name in POLICIES:
        policy = str(CASES / "wrong" / f"{name}.tcc")
        done = verify(policy, "--verifier", "reference,kernel", "--no-mend", "--json")
        if not done.stdout:
            print(f"{name}: exit {done.returncode}; {done.stderr.strip()}")
            failed = True
            continue
        for one in json.loads(done.stdout)["objectives"]:
            for requirement in one["requirements"]:
                measured = float(Fraction(requirement["measured"][0]))
                word = "held" if requirement["holds"] else "missed"
                print(
                    f"{name}: {one['verifier']}: {requirement['text']} {word}: {measured:.4g} "
                    f"{requirement['unit']}",
                    flush=True,
                )
                failed |= requirement["holds"]
            for run in one["runs"]:
                queues = run["directions"]["egress"]["queues"]
                if queues:
                    print(f"    bytes by transmit queue: {', '.join(map(str, queues))}", flush=True)
    return int(failed)


sys.exit(main())
