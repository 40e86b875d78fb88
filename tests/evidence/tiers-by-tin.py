"""Flows through a router with NAT are in the tins of their tiers, by the 7.3 kernel's counters."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/kernel"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from testkernel.report import read_report
from tests.apply.test_tiers import GUEST, PACKETS, TIN


def main() -> int:
    report = read_report(GUEST)
    wrong = 0
    for flow, tin in TIN.items():
        found = report["flows"][flow]
        counts = [found[direction].get(tin, 0) for direction in ("egress", "ingress")]
        wrong += min(counts) < PACKETS
        print(f"{flow:<28} {tin:<11} {counts[0]:>3} out {counts[1]:>3} in")
    for flow, tin in TIN.items():
        found = report["mq flows"][flow]
        counts = [found[direction].get(tin, 0) for direction in ("egress", "ingress")]
        wrong += min(counts) < PACKETS
        print(f"cake_mq: {flow:<28} {tin:<11} {counts[0]:>3} out {counts[1]:>3} in")
    print(f"cake_mq, AF41 over IPv4: {report['priorities'][0]}, without our filter "
          f"{report['priorities'][1]}; put back to the byte: {report['exact']}")  # fmt: skip
    return 0 if not wrong and report["exact"] else 1


sys.exit(main())
