"""`reference`, the verifier that predicts: the scenario runs on the bundled engine.

The qdiscs are the engine's, whose CAKE is Linux's bit for bit; traffic and path are modelled
(docs/engine/).  The same scenario and seed give the same measurements on every machine, whether
the engine runs compiled or interpreted.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from tcc import __version__
from tcc.diagnostics import Diagnostic, error
from tcc.ir import Spans, Testbed, span_at
from tcc.plugin import qdisc
from tcc.verify.judge import label
from tcc.verify.measured import Delays, DirectionMeasure, FlowMeasure, Measured
from tcc.verify.scenario import Flow, Scenario

if TYPE_CHECKING:
    from tcc.engine.measure import Histogram
    from tcc.engine.queue_disc import QueueDisc
    from tcc.engine.results import DirectionResult, FlowResult, Result
    from tcc.engine.simulation import Simulation

QDISC_STREAMS = {"egress": 8, "ingress": 9}
NO_LIMIT = 1 << 40
LOSS_SCALE = 1 << 32
SERIES_INTERVAL = 1_000_000_000
UDP_PAYLOAD = 1470
START_STREAM = 10
START_SPREAD = 10_000_000
"""ns within which senders that start together really start: no two processes do at once."""

NOT_MODELLED = (
    "kernel", "host", "cpus", "queues", "queue_map", "interrupt_interval", "bql", "ring",
    "defer_limit",
)  # fmt: skip
"""Fields of a testbed that need the model of a host's queues, interrupts and processors."""


class Reference:
    """Runs scenarios on the engine."""

    name = "reference"

    def refuses(self, scenario: Scenario, spans: Spans) -> Iterator[Diagnostic]:
        """Yield what the engine has no model for: `not-built-yet`, at the words that ask for it."""
        for field in NOT_MODELLED if scenario.testbed else ():
            if getattr(scenario.testbed, field) is not None:
                yield error(
                    "not-built-yet",
                    span_at(spans, ("objectives", scenario.index, "testbed")),
                    f"the engine does not model `{field.replace('_', '-')}` of a testbed yet",
                    "a prediction that left it out would not be about this machine",
                    "leave the testbed away to predict for an ideal machine",
                )
        for one in (scenario.egress, scenario.ingress):
            if one and one.kind == "cake_mq":
                yield error(
                    "not-built-yet",
                    one.wish.at("qdisc"),
                    "the engine does not model devices with several transmit queues yet",
                    "write `qdisc cake` to predict for one queue",
                )

    def measure(self, scenario: Scenario, seed: int) -> Measured:
        """Run a scenario; the same seed gives the same measurements."""
        from tcc.engine.simulation import Simulation  # noqa: PLC0415  (costly to import)

        simulation = Simulation(seed, local=scenario.local, nat=_is_veiled(scenario))
        ends = {
            direction: _model(simulation, scenario, direction)
            for direction in ("egress", "ingress")
        }
        simulation.link(ends["egress"], ends["ingress"], _path(scenario))
        chance = simulation.random(START_STREAM)
        for flow in scenario.flows:
            start = flow.start + chance.draw_below(START_SPREAD)
            _add(simulation, scenario, replace(flow, start=start))
        result = simulation.run(scenario.duration, scenario.warmup, SERIES_INTERVAL)
        return _measured(scenario, seed, result, ends)


def _is_veiled(scenario: Scenario) -> bool:
    """Whether hosts share one address on the link and its qdisc cannot look through."""
    role = scenario.link.role
    masquerades = role is not None and role.kind == "router" and not role.facing_hosts
    shaped = [one for one in (scenario.egress, scenario.ingress) if one]
    return masquerades and not all(getattr(one.settings, "nat", False) for one in shaped)


def _model(simulation: "Simulation", scenario: Scenario, direction: str) -> "QueueDisc":
    from tcc.engine.fifo import Fifo  # noqa: PLC0415
    from tcc.engine.scene import Scene  # noqa: PLC0415

    lowered = scenario.shaped(direction)
    if lowered is None or lowered.settings is None:
        return Fifo(simulation.pool, NO_LIMIT)
    gso = lowered.wish.shaping.gso
    scene = Scene(
        simulation.pool,
        simulation.random(QDISC_STREAMS[direction]),
        lowered.wish.device.max_frame,
        split_above=gso.size or 0 if gso and gso.mode == "split-above" else 0,
    )
    made: QueueDisc = qdisc(lowered.kind).model(lowered.settings, scene)
    return made


def _path(scenario: Scenario) -> Any:  # noqa: ANN401
    from tcc.engine.simulation import Path  # noqa: PLC0415

    testbed = scenario.testbed or Testbed(name="ideal")
    loss = testbed.loss or 0
    return Path(
        rtt=scenario.rtt,
        loss=int(loss * LOSS_SCALE),
        jitter=testbed.jitter or 0,
        beyond=testbed.beyond or 0,
        device=testbed.nic or 0,
    )


def _add(simulation: "Simulation", scenario: Scenario, flow: Flow) -> None:
    """Add one flow of the scenario, in the engine's words."""
    way: Literal["up", "down"] = "up" if flow.direction == "egress" else "down"
    common: dict[str, Any] = {
        "dscp": flow.dscp, "host": flow.host, "start": flow.start, "part": label(flow),
    }  # fmt: skip
    if flow.kind == "tcp":
        simulation.add_tcp(way, flow.control, ecn=flow.ecn, rtt=flow.rtt, **common)
    elif flow.kind == "udp":
        size = flow.payload or UDP_PAYLOAD
        pressure = _pressure(scenario)
        simulation.add_udp(way, flow.rate, size, rtt=flow.rtt, pressure=pressure, **common)
    elif flow.kind == "voip":
        simulation.add_voip(**common)
    else:
        simulation.add_ping(flow.interval, rtt=flow.rtt, **common)


def _pressure(scenario: Scenario) -> int:
    """Return the interval of the RFC's socket back-pressure (ns); 0 where no kernel has it."""
    testbed = scenario.testbed
    if testbed is None or testbed.socket_backpressure != "rfc" or scenario.egress is None:
        return 0
    wish = scenario.egress.wish.shaping.backpressure
    return (wish.interval or 0) if wish else 0


def _measured(
    scenario: Scenario, seed: int, result: "Result", ends: "dict[str, QueueDisc]"
) -> Measured:
    directions = {
        direction: _direction(one, ends[direction])
        for direction, one in (("egress", result.egress), ("ingress", result.ingress))
        if scenario.shaped(direction)
    }
    return Measured(
        Reference.name,
        f"tcc {__version__} engine",
        seed,
        result.measured,
        result.interrupted,
        tuple(_flow(one) for one in result.flows),
        directions,
    )


def _flow(one: "FlowResult") -> FlowMeasure:
    return FlowMeasure(
        one.payload,
        one.goodput,
        one.offered,
        one.lost,
        one.drops,
        _delays(one.round_trip),
        min(one.mos) if one.mos else None,
        tuple(octets * 8 for octets in one.series),
    )


def _delays(histogram: "Histogram | None") -> Delays:
    if histogram is None or not histogram.samples:
        return Delays()
    return Delays(
        histogram.samples,
        histogram.mean(),
        histogram.quantile(1, 2),
        histogram.quantile(95, 100),
        histogram.quantile(99, 100),
        histogram.quantile(999, 1000),
        histogram.greatest,
    )


def _direction(one: "DirectionResult", model: "QueueDisc") -> DirectionMeasure:
    return DirectionMeasure(
        one.packets,
        one.octets,
        one.framed,
        one.drops,
        dict(one.drops_by_reason),
        one.marks,
        _delays(one.sojourn),
        {part: _delays(waited) for part, waited in one.sojourns.items()},
        _tins(model),
    )


def _tins(model: "QueueDisc") -> dict[str, dict[str, int]]:
    """Return what `tc -s` shows of each tin, if the qdisc has tins."""
    from tcc.engine.cake.qdisc import Cake  # noqa: PLC0415
    from tcc.engine.cake.statistics import statistics, tin_names  # noqa: PLC0415

    if not isinstance(model, Cake):
        return {}
    return dict(zip(tin_names(model), statistics(model)["tins"], strict=True))
