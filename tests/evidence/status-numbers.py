"""Every number of `tcc status` is that of `tc -s -j`: CAKE, cake_mq, tbf, fq_codel on 7.3."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/kernel"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from testkernel.report import read_report
from tests.status.test_guest_status import GENERIC, GUEST, PER_TIN, SETUPS, pairs


def main() -> int:
    report = read_report(GUEST)
    every = wrong = 0
    for setup in SETUPS:
        compared = [
            (ours[mine], theirs[name])
            for theirs, ours in pairs(report[setup])
            for name, mine in GENERIC.items()
        ]
        compared += [
            (tin[mine], told[name])
            for theirs, ours in pairs(report[setup])
            for tin, told in zip(ours["tins"], theirs.get("tins", ()), strict=False)
            if theirs["kind"] == "cake"
            for name, mine in PER_TIN.items()
        ]
        bad = sum(ours != theirs for ours, theirs in compared)
        busy = sum(bool(theirs) for _, theirs in compared)
        print(f"{setup:<18} {len(compared):>4} numbers, {busy:>4} of them not 0, {bad} wrong")
        every, wrong = every + len(compared), wrong + bad
    print(f"{every} numbers compared, {wrong} wrong")
    return 1 if wrong or every < 500 else 0


sys.exit(main())
