"""From the results of one objective to its charts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tcc.report.page.charts import Chart, Distribution, Line, greatest, rates
from tcc.report.page.words import WAYS, flow_name, part_name
from tcc.units import NS_PER_S

MOST_LINES = 8
SHARES = (*range(0, 1000, 10), 995, 999, 1000)
"""Of the quantiles in the document, in thousandths."""
DRAWN = SHARES.index(995) + 1
"""The last few in a thousand would make all others a bar at the left."""
DIRECTIONS = ("egress", "ingress")

Flow = Mapping[str, Any]
Numbered = tuple[int, Flow]


Row = list[Chart | Distribution]


def charts(objective: Mapping[str, Any], key: str) -> Iterator[Row]:
    """Yield the charts of an objective's first run, those that belong side by side together."""
    run = objective["runs"][0]
    series = run.get("series")
    if not run["duration"]:
        return
    if series is None:
        yield [
            chart
            for direction in DIRECTIONS
            for chart in _by_seconds(objective, run, direction, f"{key}-{direction}")
        ]
        return
    for direction in DIRECTIONS:
        yield list(_rates(objective, run, direction, f"{key}-{direction}"))
    yield list(_round_trips(objective, run, key))
    links = sorted(series["directions"].items())
    for direction, one in links:
        yield list(_sojourns(one, run, direction, f"{key}-{direction}"))
    yield [
        chart
        for direction, one in links
        for chart in _drops(one, run, direction, f"{key}-{direction}")
    ]


def transfers(objective: Mapping[str, Any], direction: str) -> list[tuple[str, list[int]]]:
    """Return what is drawn of a direction's transfers: a name, and the numbers of its flows.

    Each has a line of its own while there are few; more are drawn as sums of those alike.
    """
    flows = [one for one in enumerate(objective["flows"]) if one[1]["direction"] == direction]
    names = [flow_name(flow) for _, flow in flows]
    if len(flows) <= MOST_LINES:
        marked = _told_apart(names)
        return [(name, [number]) for name, (number, _) in zip(marked, flows, strict=True)]
    groups: dict[str, list[int]] = {}
    for name, (number, _) in zip(names, flows, strict=True):
        groups.setdefault(name, []).append(number)
    found = [
        (f"{len(numbers)} x {name}" if len(numbers) > 1 else name, numbers)
        for name, numbers in groups.items()
    ]
    rest = [number for _, numbers in found[MOST_LINES - 1 :] for number in numbers]
    if len(found) > MOST_LINES:
        found = [*found[: MOST_LINES - 1], (f"{len(rest)} others", rest)]
    return found


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return names with a number behind those that occur more than once."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(f"{name} #{seen[name]}" if names.count(name) > 1 else name)
    return found


def _by_seconds(
    objective: Mapping[str, Any], run: Mapping[str, Any], direction: str, key: str
) -> Iterator[Chart]:
    """Yield goodputs second by second: all that there is of a run that was not sampled."""
    lines = tuple(
        Line(name, tuple(map(sum, zip(*(run["flows"][one]["series"] for one in numbers)))))  # noqa: B905
        for name, numbers in transfers(objective, direction)
    )
    if any(line.values for line in lines):
        title = f"Goodput {WAYS[direction]}, each transfer"
        yield Chart(f"{key}-goodput", title, "rate", lines, NS_PER_S, run["duration"])


def _rates(
    objective: Mapping[str, Any], run: Mapping[str, Any], direction: str, key: str
) -> Iterator[Chart]:
    series, duration = run["series"], run["duration"]
    interval = series["interval"]
    link = series["directions"].get(direction)
    lines = [
        Line(name, rates(_sums([series["flows"][one]["payload"] for one in numbers]),
                         interval, duration))
        for name, numbers in transfers(objective, direction)
    ]  # fmt: skip
    note = "Payload that arrived."
    if link is not None:
        lines.append(
            Line("everything, on the wire", rates(link["framed"], interval, duration), True)
        )
        note += " The dashed line is all that left the qdisc, headers and framing included."
    title = f"Goodput {WAYS[direction]}, each transfer"
    if greatest(line.values for line in lines):
        yield Chart(f"{key}-goodput", title, "rate", tuple(lines), interval, duration, note)
    if link is not None and link["tins"]:
        tins = tuple(
            Line(name, rates(tin["octets"], interval, duration))
            for name, tin in link["tins"].items()
        )
        title = f"Throughput {WAYS[direction]}, each tin"
        yield Chart(f"{key}-tins", title, "rate", tins, interval, duration)


def _sums(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(row) for row in zip(*rows, strict=True)]


def _round_trips(
    objective: Mapping[str, Any], run: Mapping[str, Any], key: str
) -> Iterator[Chart | Distribution]:
    series = run["series"]
    shown = probes(objective, series)
    if not shown:
        return
    lines = [Line(name, tuple(one["mean"])) for name, one in shown]
    lines.append(Line("the longest of all", _longest([one for _, one in shown]), True))
    note = "The mean of each interval; the dashed line is the longest round trip of any probe."
    title = "Round trips of the probes"
    yield Chart(
        f"{key}-latency", title, "delay", tuple(lines), series["interval"], run["duration"], note
    )
    curves = [Line(name, tuple(one["quantiles"][:DRAWN])) for name, one in shown]
    title = "Round trips: how many are at most as long"
    yield Distribution(title, SHARES[:DRAWN], tuple(curves))


def probes(
    objective: Mapping[str, Any], series: Mapping[str, Any]
) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the probes that are drawn; of many alike, the one whose delays are longest."""
    found = [
        (flow_name(flow), one["round_trip"])
        for flow, one in zip(objective["flows"], series["flows"], strict=True)
        if one["round_trip"] and one["round_trip"]["quantiles"]
    ]
    if len(found) <= MOST_LINES:
        names = _told_apart([name for name, _ in found])
        return [(name, one) for name, (_, one) in zip(names, found, strict=True)]
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for name, one in found:
        groups.setdefault(name, []).append(one)
    worst = [
        (
            f"worst of {len(alike)} x {name}" if len(alike) > 1 else name,
            max(alike, key=lambda one: one["quantiles"][SHARES.index(990)]),
        )
        for name, alike in groups.items()
    ]
    return worst[:MOST_LINES]


def _longest(rows: Sequence[Mapping[str, Any]]) -> tuple[int | None, ...]:
    return tuple(
        max((value for value in column if value is not None), default=None)
        for column in zip(*(row["max"] for row in rows), strict=True)
    )


def _sojourns(
    one: Mapping[str, Any], run: Mapping[str, Any], direction: str, key: str
) -> Iterator[Chart | Distribution]:
    if not one["sojourn"]["quantiles"]:
        return
    parts = sorted(one["parts"].items(), key=lambda item: (-sum(item[1]["samples"]), item[0]))
    shown = parts[: MOST_LINES - 1]
    lines = [Line(part_name(part), tuple(delays["mean"])) for part, delays in shown]
    lines.append(Line("the longest of all", tuple(one["sojourn"]["max"]), True))
    title = f"Time in the queue {WAYS[direction]}"
    note = "The mean of each interval; the dashed line is the longest that any packet waited."
    yield Chart(
        f"{key}-sojourn",
        title,
        "delay",
        tuple(lines),
        run["series"]["interval"],
        run["duration"],
        note,
    )
    curves = [Line(part_name(part), tuple(delays["quantiles"][:DRAWN])) for part, delays in shown]
    curves.append(Line("every packet", tuple(one["sojourn"]["quantiles"][:DRAWN]), True))
    title = f"{title}: how many wait at most as long"
    yield Distribution(title, SHARES[:DRAWN], tuple(curves))


def _drops(
    one: Mapping[str, Any], run: Mapping[str, Any], direction: str, key: str
) -> Iterator[Chart]:
    lines = [
        Line(f"dropped: {reason.replace('_', ' ')}", tuple(counts))
        for reason, counts in sorted(one["reasons"].items())
    ]
    if any(one["marks"]):
        lines.append(Line("marked CE", tuple(one["marks"])))
    if lines:
        interval = run["series"]["interval"]
        title = f"Drops and marks {WAYS[direction]}, by reason"
        note = f"Packets in each interval of {interval // 1_000_000} ms."
        yield Chart(f"{key}-drops", title, "count", tuple(lines), interval, run["duration"], note)
