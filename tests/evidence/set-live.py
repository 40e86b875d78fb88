"""`tcc set` under traffic on the 7.3 kernel's CAKE and cake_mq: no packet lost, counters go on."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/kernel"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from testkernel.report import read_report
from tests.status.test_guest_set import GUEST, PACKETS


def main() -> int:
    report = read_report(GUEST)
    good = True
    for kind in ("cake", "cake_mq"):
        found = report[kind]
        counts = [one[4] for one in found["seen"]]
        rates = ", ".join(one[0] for one in found["seen"])
        print(f"{kind}: {rates}; {found['received']} of {PACKETS} packets received, "
              f"{found['after']['drops']} dropped, counter at each change {counts}")  # fmt: skip
        good = good and found["received"] == PACKETS and not found["after"]["drops"]
        good = good and counts == sorted(counts)
    print(f"drift afterwards: {report['drift'][0]}; a daemon inside the bounds: "
          f"{report['daemon'][0]}, outside: {report['daemon outside'][0]}")  # fmt: skip
    return 0 if good and report["drift"][0] == "none" else 1


sys.exit(main())
