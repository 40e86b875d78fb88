"""`reference`, the verifier that predicts: the scenario runs on the bundled engine.

The qdiscs are the engine's, whose CAKE is Linux's bit for bit; traffic and path are modelled
(docs/engine/).  The same scenario and seed give the same measurements on every machine, whether
the engine runs compiled or interpreted.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from tcc import __version__
from tcc.diagnostics import Diagnostic, error
from tcc.ir import Spans, Testbed, span_at
from tcc.plugin import qdisc
from tcc.verify.measured import Delays, DirectionMeasure, FlowMeasure, Measured
from tcc.verify.metrics import UDP_PAYLOAD, label
from tcc.verify.sampling import Sampler
from tcc.verify.scenario import Flow, Scenario
from tcc.verify.series import interval_of
from tcc.verify.starts import starts

if TYPE_CHECKING:
    from tcc.engine.host.machine import Assembly, Machine
    from tcc.engine.measure import Histogram
    from tcc.engine.queue_disc import QueueDisc
    from tcc.engine.results import DirectionResult, FlowResult, Result
    from tcc.engine.simulation import Simulation
    from tcc.verify.pcap.recording import Recorder

QDISC_STREAMS = {"egress": 8, "ingress": 9}
NO_LIMIT = 1 << 40
LOSS_SCALE = 1 << 32
SERIES_INTERVAL = 1_000_000_000
DEFAULT_BUFFER = 212_992  # net.core.wmem_default
MOST_QUEUES = 64
TINS = {"diffserv3": 3, "diffserv4": 4, "diffserv8": 8, "besteffort": 1, "precedence": 8}
MODES = tuple(TINS)
"""In the order of the kernel's numbers."""


class Reference:
    """Runs scenarios on the engine."""

    name = "reference"

    def refuses(self, scenario: Scenario, spans: Spans) -> Iterator[Diagnostic]:
        """Yield what the engine has no model for: `not-built-yet`, at the words that ask for it."""
        one, testbed = scenario.ingress, scenario.testbed
        if one and one.kind == "cake_mq":
            yield error(
                "not-built-yet",
                one.wish.at("qdisc"),
                "the engine models several transmit queues in the direction of uploads only",
                "write `qdisc cake` for ingress to predict for one queue",
            )
        several = scenario.egress is not None and scenario.egress.kind == "cake_mq"
        if several and testbed and testbed.queues == 1:
            yield error(
                "cake-mq-one-queue",
                span_at(spans, ("objectives", scenario.index, "testbed")),
                "cake_mq needs a device with more than one transmit queue",
                "give the testbed more `queues`, or none, for the usual number",
            )
        if any(flow.kind == "tcp" and flow.rate for flow in scenario.flows):
            yield error(
                "not-built-yet",
                span_at(spans, ("objectives", scenario.index, "under")),
                "the engine's TCP sends all it can: it has no rate of its own",
                "leave the rate out, or write `udp` for what comes at a rate",
            )
        if testbed and testbed.queues and testbed.queues > MOST_QUEUES:
            yield error(
                "not-built-yet",
                span_at(spans, ("objectives", scenario.index, "testbed")),
                f"the engine models up to {MOST_QUEUES} transmit queues",
            )

    def measure(self, scenario: Scenario, seed: int) -> Measured:
        """Run a scenario; the same seed gives the same measurements."""
        if scenario.recording is None or scenario.recording.seed != seed:
            return _measure(scenario, seed, None)
        from tcc.verify.pcap.recording import recorded  # noqa: PLC0415

        with recorded(scenario.recording) as file:
            return _measure(scenario, seed, file)


def _measure(scenario: Scenario, seed: int, file: BinaryIO | None) -> Measured:
    """Run a scenario; what crosses its qdiscs goes to a file, if there is one."""
    from tcc.engine.simulation import Simulation  # noqa: PLC0415  (costly to import)

    simulation = Simulation(seed, local=scenario.local, nat=_is_veiled(scenario))
    recorder = None if file is None else _recorder(simulation, scenario, seed, file)
    machine = _machine(scenario)
    kind = scenario.egress.kind if scenario.egress else ""
    ends = {way: _model(simulation, scenario, way, machine) for way in QDISC_STREAMS}
    assembly = None
    if machine.needs_model(kind):
        assembly = _assembly(machine, scenario, ends["egress"])
        ends["egress"] = _root(simulation, ends["egress"])
    _link(simulation, scenario, ends, assembly, recorder)
    numbers = {"egress": 0, "ingress": 0, None: 0}
    for flow, start in zip(scenario.flows, starts(scenario, seed), strict=True):
        if assembly is not None:
            assembly.place(len(simulation.flows), numbers[flow.direction])
        numbers[flow.direction] += 1
        _add(simulation, scenario, machine, replace(flow, start=start))
    sampler = _sampler(simulation, scenario) if scenario.sampling else None
    result = simulation.run(scenario.duration, scenario.warmup, SERIES_INTERVAL, sampler)
    measured = _measured(scenario, seed, result, ends)
    if sampler is not None:
        measured = replace(measured, series=sampler.series())
    if recorder is not None:
        measured = replace(measured, recorded=recorder.finish())
    if assembly is None and scenario.testbed is None:
        return measured
    host = tuple(_sentences(simulation, assembly, result.measured))
    return replace(measured, host=host, elsewhere=_elsewhere(simulation, assembly))


def _recorder(
    simulation: "Simulation", scenario: Scenario, seed: int, file: BinaryIO
) -> "Recorder":
    from tcc.verify.pcap.recording import Recorder  # noqa: PLC0415

    text = scenario.objective.text
    title = f"tcc {__version__}: {text!r}, seed {seed}: predicted, {_basis(scenario)}"
    return Recorder(simulation, scenario, file, title)


def _link(
    simulation: "Simulation",
    scenario: Scenario,
    ends: "dict[str, QueueDisc]",
    assembly: "Assembly | None",
    recorder: "Recorder | None",
) -> None:
    """Put the router and the path in place, with taps before the qdiscs if there is a recorder."""
    tap = (lambda _, qdisc: qdisc) if recorder is None else recorder.tap
    egress, ingress = ends["egress"], tap("ingress", ends["ingress"])
    if assembly is None:
        simulation.link(tap("egress", egress), ingress, _path(scenario))
        return
    assembly.children = [tap("egress", one) for one in assembly.children]
    if len(assembly.children) == 1:
        (egress,) = assembly.children
    simulation.link(egress, ingress, replace(_path(scenario), device=0), assembly.make)


def _sampler(simulation: "Simulation", scenario: Scenario) -> Sampler:
    """Return what watches the flows and the shaped directions over time."""
    return Sampler(
        simulation,
        [label(flow) for flow in scenario.flows],
        [one for one in ("egress", "ingress") if scenario.shaped(one)],
        interval_of(scenario.duration),
    )


def _machine(scenario: Scenario) -> "Machine":
    """Return the machine that the testbed describes; an ideal one without."""
    from tcc.engine.host.machine import NO_CAP, Machine  # noqa: PLC0415

    testbed = scenario.testbed or Testbed(name="ideal")
    cap = NO_CAP if testbed.defer_limit == "none" else testbed.defer_limit
    return Machine(
        testbed.kernel,
        testbed.host,
        testbed.cpus,
        testbed.queues,
        testbed.queue_map == "cpu",
        testbed.nic,
        testbed.interrupt_interval,
        testbed.bql if isinstance(testbed.bql, int) else None,
        testbed.ring,
        cap,
    )


def _assembly(machine: "Machine", scenario: Scenario, egress: Any) -> "Assembly":  # noqa: ANN401
    """Return what makes the device of uploads."""
    from tcc.engine.host.machine import Assembly  # noqa: PLC0415

    children = getattr(egress, "children", [egress])
    kind = scenario.egress.kind if scenario.egress else ""
    queues = machine.transmit_queues(kind)
    mode = getattr(scenario.egress.settings, "diffserv", None) if scenario.egress else None
    tins = 8 if mode is None else TINS[MODES[mode]]
    test = "rrul" if any(use.name.startswith("rrul") for use in scenario.objective.under) else "nup"
    uploads = sum(flow.direction == "egress" for flow in scenario.flows)
    processors = machine.processors(tins, test, max(1, min(queues, uploads)), len(children))
    return Assembly(machine, children, processors, queues)


def _root(simulation: "Simulation", egress: Any) -> "QueueDisc":  # noqa: ANN401
    """Return what is shown as the device's qdisc."""
    from tcc.engine.host.queues import Queues  # noqa: PLC0415

    children = getattr(egress, "children", None)
    root: QueueDisc = egress if children is None else Queues(simulation.pool, children)
    return root


def _sentences(
    simulation: "Simulation", assembly: "Assembly | None", measured: int
) -> Iterator[str]:
    """Yield what happened behind the qdisc and beyond it."""
    from tcc.engine.host.machine import of_ideal  # noqa: PLC0415

    yield from of_ideal(simulation.egress) if assembly is None else assembly.sentences(measured)
    beyond = simulation.beyond_up
    if beyond is not None:
        waited = beyond.sojourn().mean() / 1e6
        dropped = sum(beyond.dropped(flow) for flow in range(beyond.size))
        yield f"beyond the shaper a packet waits {waited:.2f}ms on average; {dropped} dropped there"


def _elsewhere(simulation: "Simulation", assembly: "Assembly | None") -> dict[str, dict[str, int]]:
    """Return what packets waited behind the qdisc and beyond it, by place and part."""
    from tcc.engine.host.machine import place_behind  # noqa: PLC0415

    found: dict[str, dict[str, int]] = {}
    device = assembly.device if assembly else None
    if device is not None and device.behind().samples:
        waited = simulation.by_part(device.behinds)
        found[f"in {place_behind(device)}"] = {part: one.mean() for part, one in waited.items()}
    beyond = [one for one in (simulation.beyond_up, simulation.beyond_down) if one is not None]
    if beyond:
        both = [simulation.by_part(one.sojourns) for one in beyond]
        parts = both[0]
        found["beyond the shaper"] = {part: sum(one[part].mean() for one in both) for part in parts}
    return found


def _is_veiled(scenario: Scenario) -> bool:
    """Whether hosts share one address on the link and its qdisc cannot look through."""
    role = scenario.link.role
    masquerades = role is not None and role.kind == "router" and not role.facing_hosts
    shaped = [one for one in (scenario.egress, scenario.ingress) if one]
    return masquerades and not all(getattr(one.settings, "nat", False) for one in shaped)


def _model(simulation: "Simulation", scenario: Scenario, direction: str, machine: "Machine") -> Any:  # noqa: ANN401
    """Return the engine's qdisc; for cake_mq, what holds the children."""
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
        queues=machine.transmit_queues(lowered.kind),
        split_above=gso.size or 0 if gso and gso.mode == "split-above" else 0,
        mq_kernel=machine.mq_kernel,
    )
    return qdisc(lowered.kind).model(lowered.settings, scene)


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


def _add(simulation: "Simulation", scenario: Scenario, machine: "Machine", flow: Flow) -> None:
    """Add one flow of the scenario, in the engine's words."""
    way: Literal["up", "down"] = "up" if flow.direction == "egress" else "down"
    common: dict[str, Any] = {
        "dscp": flow.dscp, "host": flow.host, "start": flow.start, "part": label(flow),
    }  # fmt: skip
    if flow.kind == "tcp":
        simulation.add_tcp(way, flow.control, ecn=flow.ecn, rtt=flow.rtt, **common)
    elif flow.kind == "udp":
        size = flow.payload or UDP_PAYLOAD
        costs = machine.costs
        simulation.add_udp(
            way,
            flow.rate,
            size,
            rtt=flow.rtt,
            pressure=_pressure(scenario),
            buffer=costs.get("sndbuf", DEFAULT_BUFFER),
            cost=costs.get("send_cost_ns", 0),
            latency=costs.get("wake_latency_ns", 0),
            **common,
        )
    elif flow.kind == "voip":
        simulation.add_voip(**common)
    else:
        simulation.add_ping(flow.interval, rtt=flow.rtt, **common)


def _pressure(scenario: Scenario) -> int:
    """Return the interval of the RFC's socket back-pressure (ns); 0 where no kernel has it."""
    testbed = scenario.testbed
    if testbed is None or testbed.socket_backpressure != "rfc" or scenario.egress is None:
        return 0
    if scenario.egress.kind != "tbf":  # the patches had tbf, htb and cbq
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
        basis=_basis(scenario),
    )


def _basis(scenario: Scenario) -> str:
    """Say how good the prediction is."""
    host = scenario.testbed.host if scenario.testbed else None
    return f"calibrated to {host}" if host else "emergent"


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
        tuple(int(child.statistics()["bytes"]) for child in getattr(model, "children", ())),
    )


def _tins(model: "QueueDisc") -> dict[str, dict[str, int]]:
    """Return what `tc -s` shows of each tin, if the qdisc has tins."""
    from tcc.engine.cake.qdisc import Cake  # noqa: PLC0415
    from tcc.engine.cake.statistics import statistics, tin_names  # noqa: PLC0415

    if not isinstance(model, Cake):
        return {}
    return dict(zip(tin_names(model), statistics(model)["tins"], strict=True))
