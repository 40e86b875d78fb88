"""Which of flent's tests a load is, and what that test calls each flow.

Names are those of flent's `tests/*.conf`.  A load that is none of its tests is written as the one
that has as many streams; a call's packets go under pings, since they are measured there and back.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tcc.dscp import NAMES
from tcc.verify.scenario import Flow, Scenario

RRUL_TRANSFERS = {NAMES["cs0"]: "BE", NAMES["cs1"]: "BK", NAMES["cs5"]: "CS5", NAMES["ef"]: "EF"}
RRUL_PINGS = ("UDP EF", "UDP BK", "UDP BE", "ICMP")
RRUL_BE_PINGS = ("UDP BE1", "UDP BE2", "UDP BE3", "ICMP")
WAYS = {"egress": "upload", "ingress": "download"}


class Test(NamedTuple):
    """One of flent's tests.

    Attributes:
        name: flent's.
        series: what it calls each flow of a scenario, in their order.
        parameters: its test parameters.
    """

    name: str
    series: tuple[str, ...]
    parameters: dict[str, str]


def test_of(scenario: Scenario) -> Test:
    """Return flent's test for a scenario's load."""
    flows = scenario.flows
    counts = {way: sum(flow.direction == way for flow in flows) for way in WAYS}
    parameters = {f"{WAYS[way]}_streams": str(count) for way, count in counts.items() if count}
    for name, series in (("rrul", tuple(_rrul(flows))), ("rrul_be", tuple(_rrul_be(flows)))):
        loads = {use.name for use in scenario.objective.under}
        if loads == {name} and len(set(series)) == len(flows):
            return Test(name, series, {})
    if all(counts.values()):
        return Test("rrul_be_nflows", tuple(_numbered(flows, " BE")), parameters)
    name = "tcp_nup" if counts["egress"] else "tcp_ndown" if counts["ingress"] else "ping"
    return Test(name, tuple(_numbered(flows, "")), parameters)


def _rrul(flows: Sequence[Flow]) -> Iterator[str]:
    pings = iter(RRUL_PINGS)
    for number, flow in enumerate(flows):
        if flow.direction:
            yield f"TCP {WAYS[flow.direction]} {RRUL_TRANSFERS.get(flow.sent_dscp, number)}"
        else:
            yield f"Ping (ms) {next(pings, f'tier {flow.tier or number}')}"


def _rrul_be(flows: Sequence[Flow]) -> Iterator[str]:
    pings = iter(RRUL_BE_PINGS)
    seen = {"egress": 0, "ingress": 0}
    for number, flow in enumerate(flows):
        if flow.direction:
            seen[flow.direction] += 1
            which = seen[flow.direction]
            yield f"TCP {WAYS[flow.direction]} BE{which if which > 1 else ''}"
        else:
            yield f"Ping (ms) {next(pings, f'tier {flow.tier or number}')}"


def _numbered(flows: Sequence[Flow], group: str) -> Iterator[str]:
    """Yield names with the number of the stream, as flent gives to streams that are alike."""
    seen: dict[str, int] = {}
    for flow in flows:
        if flow.direction:
            name = f"{'UDP' if flow.kind == 'udp' else 'TCP'} {WAYS[flow.direction]}{group}"
        else:
            name = f"Ping (ms) {'VoIP' if flow.kind == 'voip' else 'ICMP'}"
        seen[name] = seen.get(name, 0) + 1
        first_ping = seen[name] == 1 and not flow.direction
        yield name if first_ping else f"{name}::{seen[name]}"
