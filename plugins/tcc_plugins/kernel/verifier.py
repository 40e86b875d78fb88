"""Objectives on the real thing: in namespaces of this host, or in a User-Mode Linux guest.

The same scenario, the same measurements as the prediction's, from sockets and tc(8). What the
kernel does not count, such as the time in the queue, is left empty.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from tcc.diagnostics import Diagnostic, error
from tcc.ir import Spans, span_at, wire_size
from tcc.lower import LoweredQdisc
from tcc.netlink.handle import ROOT, Handle
from tcc.netlink.kinds import decode_stats
from tcc.netlink.objects import TcObject
from tcc.plugin import qdisc
from tcc.units import NS_PER_S
from tcc.verify.measured import Delays, DirectionMeasure, FlowMeasure, Measured, MeasureError
from tcc.verify.metrics import UDP_PAYLOAD, delays_of
from tcc.verify.scenario import Flow, Scenario
from tcc.verify.starts import starts
from tcc_plugins.kernel import host, uml

PROGRAM = Path(__file__).with_name("guest")
CANNOT = (
    "kernel", "host", "cpus", "queue_map", "nic", "interrupt_interval", "bql", "ring",
    "defer_limit", "beyond",
)  # fmt: skip
"""Fields of a testbed that would need another machine than the one there is."""
LOSS_SCALE = 1 << 32
QUEUES = 4
"""Transmit queues of the router's devices, if a testbed does not say."""
MOST_HOSTS = 250
"""Addresses of one network of 256 that hosts can have."""
LINK_HEADER = 14
PTM = 65, 64


class Kernel:
    """Measures on a kernel: `$TCC_UML_KERNEL` in simulated time, else the running one."""

    name = "kernel"
    alone = True
    """Runs one after the other: they would disturb one another on one machine."""

    def state(self) -> tuple[str, str | None]:
        """Return which kernel it measures on, and what to do if that cannot be."""
        try:
            kernel = uml.kernel()
        except uml.GuestError as problem:
            return str(problem), f"name a User-Mode Linux binary in {uml.KERNEL}, or unset it"
        if kernel is None:
            return (
                "`verify --verifier kernel` measures on this host's kernel: "
                f"{uml.KERNEL} names no User-Mode Linux (docs/verify.md says how to make one)",
                None,
            )
        return f"`verify --verifier kernel` measures on {kernel}, in simulated time", None

    def refuses(self, scenario: Scenario, spans: Spans) -> Iterator[Diagnostic]:
        """Yield what cannot be set up: `verifier-unavailable`, `verifier-cannot`."""
        at = ("objectives", scenario.index)
        if os.geteuid() != 0:
            yield error(
                "verifier-unavailable",
                span_at(spans, at),
                "measuring on a kernel needs root: it makes namespaces, or boots a guest",
                "run it as root, or predict: `--verifier reference`",
            )
        try:
            uml.kernel()
        except uml.GuestError as problem:
            yield error(
                "verifier-unavailable",
                span_at(spans, at),
                str(problem),
                "name a User-Mode Linux binary, or unset the variable to use this host's kernel",
            )
        for field in CANNOT if scenario.testbed else ():
            if getattr(scenario.testbed, field) is not None:
                yield _cannot(spans, (*at, "testbed"), f"`{field.replace('_', '-')}` of a testbed")
        for number, requirement in enumerate(scenario.objective.require):
            if requirement.metric == "sojourn":
                yield _cannot(spans, (*at, "require", number), "the time in the queue")
        if scenario.local and scenario.ingress:
            yield _cannot(spans, at, "the ingress of the machine that sends")
        if max((flow.host for flow in scenario.flows), default=0) >= MOST_HOSTS:
            yield _cannot(spans, at, f"more than {MOST_HOSTS} hosts")
        if any(flow.rtt for flow in scenario.flows):
            yield _cannot(spans, at, "flows with a round trip of their own")
        if len({flow.ecn for flow in scenario.flows if flow.kind == "tcp"}) > 1:
            yield _cannot(spans, at, "TCP with ECN and without it in one run")

    def measure(self, scenario: Scenario, seed: int) -> Measured:
        """Run a scenario; with a User-Mode Linux the same seed gives the same measurements.

        Raises:
            MeasureError: the kernel has no such qdisc, or the guest or its program failed.
        """
        job = json.dumps(_job(scenario, seed))
        kernel = uml.kernel()
        try:
            text = uml.run(kernel, PROGRAM, job, seed) if kernel else host.run(PROGRAM, job)
        except (uml.GuestError, host.HostError) as problem:
            raise MeasureError(str(problem)) from problem
        said = json.loads(text)
        way = "simulated time" if kernel else "this host"
        if said["delayed_by"] == "process":
            way += ", delayed by a process for want of netem"
        flows = tuple(
            _flow(flow, number, said, scenario.duration)
            for number, flow in enumerate(scenario.flows)
        )
        directions = {
            direction: _direction(scenario.shaped(direction), said, direction)
            for direction in ("egress", "ingress")
            if scenario.shaped(direction)
        }
        return Measured(
            self.name,
            f"Linux {said['release']}, {way}",
            seed,
            scenario.duration,
            False,
            flows,
            directions,
            basis="measured",
        )


def _cannot(spans: Spans, path: tuple[str | int, ...], what: str) -> Diagnostic:
    return error(
        "verifier-cannot",
        span_at(spans, path),
        f"the kernel verifier cannot set up or measure {what}",
        "the machine is the one that there is, and its kernel counts what it counts",
        "predict it instead: `--verifier reference`",
    )


def _job(scenario: Scenario, seed: int) -> dict[str, Any]:
    testbed = scenario.testbed
    loss = testbed.loss if testbed is not None and testbed.loss else 0
    network = 2 if scenario.local else 1
    return {
        "local": scenario.local,
        "hosts": 1 + max((flow.host for flow in scenario.flows), default=0),
        "ecn": 1 if any(flow.ecn for flow in scenario.flows) else 2,
        "queues": (testbed.queues if testbed is not None else None) or QUEUES,
        "rtt": scenario.rtt,
        "jitter": testbed.jitter or 0 if testbed is not None else 0,
        "loss": int(loss * LOSS_SCALE),
        "warmup": scenario.warmup,
        "duration": scenario.duration,
        "egress": _wanted(scenario.egress),
        "ingress": _wanted(scenario.ingress),
        "flows": [
            {
                "kind": flow.kind,
                "direction": flow.direction,
                "dscp": flow.dscp,
                "address": f"10.0.{network}.{2 + flow.host}",
                "rate": flow.rate,
                "payload": flow.payload or UDP_PAYLOAD,
                "control": flow.control,
                "interval": flow.interval,
                "start": start,
            }
            for flow, start in zip(scenario.flows, starts(scenario, seed), strict=True)
        ],
    }


def _wanted(lowered: LoweredQdisc | None) -> list[dict[str, Any]]:
    """Return the qdiscs as the kernel is asked for them, outermost first."""
    if lowered is None:
        return []
    made = [_request(lowered.kind, lowered.settings, Handle.of(1), ROOT)]
    for child in lowered.children:
        handle, parent = Handle.of(16 + child.minor), Handle.of(1, child.minor)
        made.append(_request(child.kind, child.settings, handle, parent))
    return made


def _request(kind: str, settings: Any, handle: Handle, parent: Handle) -> dict[str, Any]:  # noqa: ANN401
    options = qdisc(kind).netlink(settings)
    return {
        "kind": kind,
        "handle": int(handle),
        "parent": int(parent),
        "options": None if options is None else options.hex(),
    }


def _flow(flow: Flow, number: int, said: Mapping[str, Any], duration: int) -> FlowMeasure:
    client: Mapping[str, Any] = said["c"].get(str(number), {})
    server: Mapping[str, Any] = said["s"].get(str(number), {})
    if flow.kind in ("ping", "voip"):
        return _probe(flow, client)
    sender, receiver = (client, server) if flow.direction == "egress" else (server, client)
    payload = int(receiver.get("payload", 0))
    first = receiver.get("first")
    due = int(receiver.get("last", -1)) - int(first) + 1 if first is not None else 0
    return FlowMeasure(
        payload,
        payload * 8 * NS_PER_S // duration,
        int(sender.get("sent", 0)),
        max(0, due - int(receiver.get("arrived", 0))),
        None,
        Delays(),
        None,
        tuple(octets * 8 for octets in receiver.get("series", ())),
    )


def _probe(flow: Flow, client: Mapping[str, Any]) -> FlowMeasure:
    from tcc.engine.results import mean_opinion  # noqa: PLC0415  (one formula, the E-model)

    trips = client.get("trips", [])
    sent = int(client.get("sent", 0))
    lost = max(0, sent - len(trips))
    scores = None
    if flow.kind == "voip" and trips:
        scores = min(
            mean_opinion(sum(ways) // len(ways) + 2 * _jitter(ways), lost, sent)
            for ways in (client["up"], client["down"])
        )
    return FlowMeasure(0, 0, sent, lost, None, delays_of(sorted(trips)), scores)


def _jitter(delays: Sequence[int]) -> int:
    """Return RFC 3550's interarrival jitter (ns)."""
    jitter = 0
    for before, now in pairwise(delays):
        jitter += (abs(now - before) - jitter) >> 4
    return jitter


def _direction(
    lowered: LoweredQdisc | None, said: Mapping[str, Any], direction: str
) -> DirectionMeasure:
    assert lowered is not None
    before, after = (_objects(said[when][direction]) for when in ("before", "after"))
    first, last = _root(before).counters, _root(after).counters
    packets, octets = last.packets - first.packets, last.bytes - first.bytes
    # The kernel's drops count acknowledgements that the filter took out; those are no loss.
    filtered = _of_tins(after, "ACKS_DROPPED_PACKETS") - _of_tins(before, "ACKS_DROPPED_PACKETS")
    return DirectionMeasure(
        packets,
        octets,
        _framed(lowered, packets, octets),
        last.drops - first.drops - filtered,
        {},
        _of_tins(after, "ECN_MARKED_PACKETS") - _of_tins(before, "ECN_MARKED_PACKETS"),
        queues=tuple(one.counters.bytes for one in _of_queues(after)),
    )


def _objects(shown: Sequence[str]) -> list[TcObject]:
    return [TcObject(0, 0, data := bytes.fromhex(one), 0, len(data)) for one in shown]


def _root(shown: Sequence[TcObject]) -> TcObject:
    return next(one for one in shown if one.parent == ROOT)


def _of_queues(shown: Sequence[TcObject]) -> list[TcObject]:
    """Return the qdiscs of the transmit queues of cake_mq, in their order."""
    if _root(shown).kind != "cake_mq":
        return []
    return sorted((one for one in shown if one.parent != ROOT), key=lambda one: one.parent.minor)


def _of_tins(shown: Sequence[TcObject], name: str) -> int:
    """Return a count of all tins of all CAKEs together."""
    total = 0
    for one in shown:
        if one.kind == "cake" and one.xstats:
            said: Any = decode_stats(one.kind, one.xstats)
            total += sum(dict(tin).get(name, 0) for _, tin in dict(said).get("TIN_STATS", ()))
    return total


def _framed(lowered: LoweredQdisc, packets: int, octets: int) -> int:
    """Return the bytes that the shaper counted, which tc does not show.

    Exact for framing that adds a number to each packet; cells are taken as if every packet
    filled its last one.
    """
    bandwidth = lowered.wish.shaping.bandwidth
    if bandwidth is None or not isinstance(bandwidth.rate, int):
        return 0
    wire = wire_size(lowered.wish.link.framing)
    if wire.raw:
        return octets
    size = octets + packets * (wire.overhead - LINK_HEADER)
    if wire.cells == "ptm":
        return size * PTM[0] // PTM[1]
    return size * 53 // 48 if wire.cells == "atm" else size
