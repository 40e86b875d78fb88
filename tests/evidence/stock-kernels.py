"""Debian's kernels 6.1, 6.12 and 7.3: what is missing is said before, all else is as tc's.

python tests/evidence/stock-kernels.py [VERSION ...]

Some minutes each under QEMU where the CPU's own virtualisation is not there; a kernel is fetched at
its first use.  On each: sample policies are applied, compared with the generated script of tc
commands, taken back and removed; every option is set by our bytes, our words and tc's words; and
policies are tried without the modules that they could do with.
"""

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1] / "kernel"))

from testkernel import machine
from testkernel.report import read_report

GUEST = Path(__file__).with_name("_stock_guest.py")
SUITES: Final = {"6.1": "bookworm"}
SECONDS: Final = 3600
CAKE_MQ_SINCE: Final = 7
WHAT: Final = {
    "home": "`docs/examples/home.tcc`",
    "multigig": "`docs/examples/multigig.tcc`: cake_mq",
    "auto": "no qdisc named, 2 Gbit/s, four queues",
    "tbf": "tbf with fq_codel",
}
Cells = dict[str, tuple[str, bool]]


def on(version: str) -> Any:
    """Return what came of everything on a kernel."""
    os.environ["TCC_KERNEL_VERSION"] = version
    os.environ.pop("TCC_KERNEL_SUITES", None)
    if version in SUITES:
        os.environ["TCC_KERNEL_SUITES"] = SUITES[version]
    return read_report(GUEST, replace(machine.stock_machine(), simulated_time=False), SECONDS)


def came_of(case: dict[str, Any], to_come: str) -> tuple[str, bool]:
    """Return what came of a policy in words, and whether it is this and nothing was half done.

    Args:
        case: what the guest tells of it.
        to_come: a diagnostic of what is missing, or a kind of qdisc that is to be there.
    """
    if "refused" in case:
        codes = list(dict.fromkeys(case["refused"]))
        words = f"refused: {', '.join(codes)}"
        if not case["untouched"]:
            return f"{words}, and not as before", False
        return words, codes == [to_come]
    parts = {
        "plan not empty afterwards": not case["empty"],
        f"not rolled back: {case['said']}": not case["back"],
        "not removed": not case.get("removed", True),
        f"not what tc makes: {case.get('script')}": (
            case.get("scripted", case["made"]) != case["made"]
        ),
    }
    wrong = [words for words, holds in parts.items() if holds]
    kinds = {one["kind"] for one in json.loads(case["made"][0])} - {"noqueue", "clsact", "mq"}
    return "; ".join(wrong) or " ".join(sorted(kinds)), not wrong and to_come in kinds


def samples(report: Any) -> Cells:
    """Judge the sample policies: cake_mq is refused where the kernel is older than it."""
    has = int(report["kernel"].split(".")[0]) >= CAKE_MQ_SINCE
    to_come = {
        "home": "cake",
        "multigig": "cake_mq" if has else "qdisc-missing",
        "auto": "cake_mq" if has else "cake",
        "tbf": "fq_codel",
    }
    return {WHAT[name]: came_of(report["samples"][name], to_come[name]) for name in to_come}


def options(report: Any) -> Cells:
    """Judge the options: the kernel has them all, or the qdisc not at all."""
    has = int(report["kernel"].split(".")[0]) >= CAKE_MQ_SINCE
    cells = {}
    for name, (count, differ) in report["options"]["differ"].items():
        wanted = [] if has or name != "cake_mq" else ["ENOENT"]
        words = f"{count} settings, {len(differ)} differ" if not wanted else "no such qdisc"
        good = differ == wanted
        cells[f"options of {name}"] = (words if good else f"{words} {differ[:3]}", good)
    for name, said in report["options"]["unknown"].items():
        cells[f"{name}, an attribute that no kernel has"] = (said, True)
    return cells


def lacking(report: Any) -> Cells:
    """Judge the policies that could do with modules that are not there."""
    cells = {}
    for case in report["hidden"]:
        words, good = came_of(case, case["to come"])
        if case["left"]:
            words, good = f"not tried: {', '.join(case['left'])} stays loaded", True
        asked = re.sub(r"\s+", " ", case["policy"]).strip()
        cells[f"`{asked}` without {case['without']}"] = (words, good)
    return cells


def main() -> int:
    versions = sys.argv[1:] or ["6.1", "6.12", "7.3"]
    columns: dict[str, Cells] = {}
    for version in versions:
        report = on(version)
        columns[report["kernel"]] = samples(report) | options(report) | lacking(report)
    print(f"| | {' | '.join(columns)} |")
    print(f"|---|{'---|' * len(columns)}")
    for name in next(iter(columns.values())):
        cells = [column[name] for column in columns.values()]
        shown = [words if good else f"WRONG: {words}" for words, good in cells]
        print(f"| {name} | {' | '.join(shown)} |")
    wrong = sum(not good for column in columns.values() for _, good in column.values())
    print(f"{len(columns)} kernels, {wrong} cells wrong")
    return min(wrong, 1)


sys.exit(main())
