"""A real measurement in the terms of a scenario, to stand beside its prediction.

Of a flow that the file and the scenario both have, each series becomes a `FlowMeasure`.  The idle
round trip of a real path is taken from its shortest ping, since nobody wrote it down.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from tcc.diagnostics import Diagnostic, error
from tcc.source import Span
from tcc.units import NS_PER_MS, NS_PER_S
from tcc.verify.flent.names import WAYS, Test, test_of
from tcc.verify.flent.reading import DataFile, Values
from tcc.verify.judge import judge
from tcc.verify.measured import FlowMeasure, Measured
from tcc.verify.metrics import delays_of
from tcc.verify.run import Run
from tcc.verify.scenario import Scenario
from tcc.verify.series import SHARES, DelaySeries, FlowSeries, Series, interval_of

MBIT = 1_000_000
COMPUTED = ("avg", "sum", "fairness", "totals")


def match(scenarios: Sequence[Scenario], data: DataFile) -> Scenario | Diagnostic:
    """Return the scenario that a file is a measurement of, or `flent-other-load`.

    It is the one that flent's test of that name would be, or else the only one there is.
    """
    fitting = [one for one in scenarios if test_of(one).name == data.test]
    if len(scenarios) == 1:
        fitting = list(scenarios)
    fitting = [one for one in fitting if not _missing(test_of(one), data)] or fitting
    if not fitting:
        tests = ", ".join(dict.fromkeys(test_of(one).name for one in scenarios))
        return _other(data, f"it is of `{data.test}`, and the objectives are of {tests}")
    scenario = fitting[0]
    missing = _missing(test_of(scenario), data)
    if missing:
        names = ", ".join(f"`{name}`" for name in missing[:4])
        more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
        return _other(data, f"it has no series {names}{more}, which `{_text(scenario)}` has")
    spare = [name for name in _transfers(data) if name not in test_of(scenario).series]
    if spare:
        return _other(data, f"it has {len(spare)} transfers more than `{_text(scenario)}`")
    return scenario


def _text(scenario: Scenario) -> str:
    return scenario.objective.text


def _other(data: DataFile, message: str) -> Diagnostic:
    hint = "write an objective `under` the load that was measured, with as many flows"
    return error("flent-other-load", Span(data.path, 0, 0), message, hint)


def _missing(test: Test, data: DataFile) -> list[str]:
    return [name for name in test.series if name not in data.series]


def _transfers(data: DataFile) -> Iterator[str]:
    """Yield the names of series that are transfers, one stream each."""
    for name in data.series:
        base, _, behind = name.partition("::")
        is_stream = base.startswith(tuple(f"TCP {way}" for way in WAYS.values()))
        if is_stream and base.split()[-1] not in COMPUTED and (not behind or behind.isdigit()):
            yield name


def measured_run(scenario: Scenario, data: DataFile, seed: int) -> Run:
    """Return a measurement as a run, judged by what of its requirements it can tell."""
    test = test_of(scenario)
    first, last = _window(scenario, data)
    inside = [at for at, time in enumerate(data.times) if first < time <= last]
    duration = round((last - first) * NS_PER_S)
    flows = tuple(
        _flow([data.series[name][at] for at in inside], flow.direction, duration)
        for name, flow in zip(test.series, scenario.flows, strict=True)
    )
    tool = f"flent {data.version}".rstrip()
    words = f"{data.test} by {tool}" + (f": {data.title}" if data.title else "")
    interval = interval_of(duration)
    places = [int((data.times[at] - first) * NS_PER_S - 1) // interval for at in inside]
    series = Series(
        interval,
        tuple(
            _over_time(
                [data.series[name][at] for at in inside], places, flow.direction, interval, duration
            )
            for name, flow in zip(test.series, scenario.flows, strict=True)
        ),
        {},
    )
    measured = Measured(
        "flent", words, seed, duration, False, flows, {}, basis="measured", series=series
    )
    real = replace(scenario, rtt=_idle(test, data, scenario))
    verdicts = tuple(
        one
        for one in judge(real, measured)
        if one.measured is not None and real.objective.require[one.index].metric != "loss"
    )
    return Run(real, measured, verdicts)


def _window(scenario: Scenario, data: DataFile) -> tuple[float, float]:
    """Return from when to when (s) the load ran, without a warm-up as the prediction has one."""
    length = data.length or data.total
    before = max(0.0, (data.total - length) / 2)
    warm = before + scenario.warmup / NS_PER_S
    last = before + length
    return (warm if warm < before + length / 2 else before), last


def _idle(test: Test, data: DataFile, scenario: Scenario) -> int:
    """Return the shortest round trip of all pings (ns, to 10 us); without any, the scenario's."""
    pings = [
        value
        for name, flow in zip(test.series, scenario.flows, strict=True)
        if flow.direction is None
        for value in data.series[name]
        if value is not None
    ]
    return round(min(pings) * 100) * NS_PER_MS // 100 if pings else scenario.rtt


def _flow(values: Values, direction: str | None, duration: int) -> FlowMeasure:
    there = [value for value in values if value is not None]
    if direction is None:
        delays = delays_of(sorted(round(value * NS_PER_MS) for value in there))
        return FlowMeasure(round_trip=delays, drops=None)
    rate = round(fmean(there) * MBIT) if there else 0
    return FlowMeasure(rate * duration // (8 * NS_PER_S), rate, drops=None)


def _over_time(
    values: Values, places: Sequence[int], direction: str | None, interval: int, duration: int
) -> FlowSeries:
    """Return a series in the intervals of a prediction: in each, the mean of what falls into it."""
    found: list[list[float]] = [[] for _ in range(-(-duration // interval))]
    for value, place in zip(values, places, strict=True):
        if value is not None and 0 <= place < len(found):
            found[place].append(value)
    nothing = (0,) * len(found)
    if direction is not None:
        lengths = (min(interval, duration - interval * at) for at in range(len(found)))
        payload = tuple(
            round(fmean(one) * MBIT * length / (8 * NS_PER_S)) if one else 0
            for one, length in zip(found, lengths, strict=True)
        )
        return FlowSeries(payload, nothing)
    ordered = sorted(round(value * NS_PER_MS) for one in found for value in one)
    shares = (min(len(ordered) - 1, len(ordered) * share // 1000) for share in SHARES)
    delays = DelaySeries(
        tuple(map(len, found)),
        tuple(round(fmean(one) * NS_PER_MS) if one else None for one in found),
        tuple(round(max(one) * NS_PER_MS) if one else None for one in found),
        tuple(ordered[share] for share in shares) if ordered else (),
    )
    return FlowSeries(nothing, nothing, delays)
