"""Tiers on cake_mq in both directions with four processors, on the stock 7.3 kernel under QEMU."""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/kernel"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from testkernel.host import UnavailableError
from testkernel.machine import stock_machine
from testkernel.report import read_report
from tests.apply.guest_smp import CHOSEN, QUEUES, RATE
from tests.apply.guest_tiers import PACKETS
from tests.apply.test_tiers import TIN

PROCESSORS = 4
SECONDS = 3000  # of a machine whose processors are programs, and those of others beside it
TOLERANCE = 0.02
GUEST = Path(__file__).parents[1] / "apply/guest_smp.py"
CARRIERS = {
    "t-ipip": ["wan0"], "t-gre": ["wan0"], "t-gre6": ["wan0"], "t-geneve": ["wan0"],
    "t-vxlan": ["lan0"], "t-wg": ["wan0"],
}  # fmt: skip


def main() -> int:
    try:
        machine = replace(stock_machine(), cpus=PROCESSORS, simulated_time=False)
        report = read_report(GUEST, machine, SECONDS)
    except UnavailableError as problem:
        print(f"NOT SHOWN: there is no machine with {PROCESSORS} processors to be had.\n{problem}")
        return 1
    good = report["processors"] == PROCESSORS and report["again"] == "UNCHANGED"
    good &= report["kinds"] == [["cake_mq"] + ["cake"] * QUEUES] * 2
    print(f"{report['processors']} processors; egress and ingress: {report['kinds']}")
    for flow in CHOSEN:
        found = report["flows"][flow]
        counts = [found[direction].get(TIN[flow], 0) for direction in ("egress", "ingress")]
        good &= min(counts) >= PACKETS
        print(f"{flow:<16} {TIN[flow]:<11} {counts[0]:>3} out {counts[1]:>3} in")
    work = report["work"]
    busy = sum(count > 0 for count in work["bytes"])
    good &= busy > 1 and work["rate"] <= RATE * (1 + TOLERANCE)
    print(f"{busy} queues at work at once, bytes {work['bytes']}")
    print(f"together {work['rate']:.0f} bit/s of {RATE}")
    good &= report["back"] == ["DONE", "DONE"] and report["carriers"] == CARRIERS
    print(f"what carries tunnels: {report['carriers']}")
    return 0 if good else 1


sys.exit(main())
