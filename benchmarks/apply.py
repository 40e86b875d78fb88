"""1,000 tbf qdiscs: performing them against `tc -batch`, planning nothing against `tc -j qdisc`.

Both sides take turns in one namespace; the best of several rounds counts, as the machine may
be busy with other things. `--rounds N`, `--json`.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/kernel"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from tcc.netlink.namespace import Namespace
from tcc.netlink.transport import RouteSocket
from tcc.plan.diff import diff
from tcc.plan.state import Place, QdiscItem
from tcc_plugins.netlink import Host
from tcc_plugins.netlink import host as host_module
from tcc_plugins.tbf import TbfSettings
from testkernel.netns import namespaces

COUNT = 1000


@dataclass
class Times:
    """Best times in ms, and how ours compares."""

    perform: float
    tc_batch: float
    plan: float
    tc_show: float

    @property
    def perform_ratio(self) -> float:
        return self.perform / self.tc_batch

    @property
    def plan_ratio(self) -> float:
        return self.plan / self.tc_show


class Timed(RouteSocket):
    """Notes when the first request goes out and when the last answer is in."""

    first = last = 0.0

    def batch(self, messages, *rest, **named):
        Timed.first = Timed.first or time.perf_counter()
        answers = super().batch(messages, *rest, **named)
        Timed.last = time.perf_counter()
        return answers


def rate(number: int) -> int:
    """Every device has a rate of its own, in bytes/s: nothing can be remembered."""
    return 1_000_000 + 125 * number


def tc(namespace: str, *words: str, lines: str = "") -> bytes:
    """Run tc in the namespace and return what it prints."""
    command = ["tc", "-n", namespace, *words]
    return subprocess.run(command, input=lines.encode(), check=True, capture_output=True).stdout


def delete_all(namespace: str) -> None:
    tc(namespace, "-batch", "-", lines="".join(
        f"qdisc delete dev d{number} root\n" for number in range(COUNT)))  # fmt: skip


def one_round(namespace: str) -> Times:
    """Measure each of the four once."""
    wanted = {
        Place(f"d{number}", "root"): QdiscItem(
            "tbf", 1 << 16, TbfSettings(rate(number), 100_000, 20_000)
        )
        for number in range(COUNT)
    }
    with Host(Namespace.named(namespace)) as host:
        plan = diff(host.observe(wanted), wanted, host)
        assert len(plan.operations) == COUNT
        Timed.first = 0.0
        answers = [answer for part in host.perform(plan.operations) for answer in part]
        assert all(answer.done for answer in answers)
        perform = Timed.last - Timed.first
        began = time.perf_counter()
        plan = diff(host.observe(wanted), wanted, host)
        planned = time.perf_counter() - began
        assert not plan
    began = time.perf_counter()
    shown = json.loads(tc(namespace, "-j", "qdisc", "show"))
    show = time.perf_counter() - began
    assert len(shown) >= COUNT
    delete_all(namespace)
    lines = "".join(
        f"qdisc add dev d{number} root handle 1: tbf rate {8 * rate(number)}bit "
        "burst 20000 limit 100000\n"
        for number in range(COUNT)
    )
    began = time.perf_counter()
    tc(namespace, "-batch", "-", lines=lines)
    batch = time.perf_counter() - began
    delete_all(namespace)
    return Times(perform * 1e3, batch * 1e3, planned * 1e3, show * 1e3)


def measure(rounds: int) -> Times:
    """Return the best of `rounds` rounds, for each of the four by itself."""
    host_module.RouteSocket = Timed
    with namespaces() as made:
        inside = made.new()
        lines = "".join(
            f"link add d{number} type veth peer name p{number}\nlink set d{number} up\n"
            for number in range(COUNT)
        )
        subprocess.run(["ip", "-n", inside.name, "-batch", "-"], input=lines.encode(), check=True)
        found = [one_round(inside.name) for _ in range(rounds)]
    return Times(**{
        name: min(getattr(one, name) for one in found) for name in asdict(found[0])
    })  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    best = measure(asked.rounds)
    if asked.json:
        print(json.dumps({**asdict(best), "perform_ratio": best.perform_ratio,
                          "plan_ratio": best.plan_ratio}))  # fmt: skip
    else:
        print(f"perform {COUNT} tbf    {best.perform:7.1f} ms   tc -batch {best.tc_batch:7.1f} ms"
              f"   ratio {best.perform_ratio:.2f}")  # fmt: skip
        print(f"plan, nothing to do  {best.plan:7.1f} ms   tc -j     {best.tc_show:7.1f} ms"
              f"   ratio {best.plan_ratio:.2f}")  # fmt: skip
    return 0 if best.perform_ratio <= 1 and best.plan_ratio <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
