"""The charts of a comparison: what both runs measured, drawn in one frame."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tcc.report.page.charts import Chart, Distribution, Line, Value, rates
from tcc.report.page.over_time import DIRECTIONS, DRAWN, SHARES, Row, probes
from tcc.report.page.words import WAYS

Document = Mapping[str, Any]
SIDES = ("A", "B")
MOST_PROBES = 4
MEAN = "The mean of each interval."


@dataclass(frozen=True, slots=True)
class Frame:
    """What the charts of two runs have in common.

    Attributes:
        key: begins the name of each chart.
        interval: between values (ns).
        duration: of the longer run (ns).
    """

    key: str
    interval: int
    duration: int

    def chart(
        self,
        name: str,
        title: str,
        quantity: str,
        lines: Sequence[tuple[str, Sequence[Value]]],
        note: str = "",
    ) -> Chart:
        """Return a chart; where one run was shorter its lines end earlier."""
        size = -(-self.duration // self.interval)
        padded = tuple(
            Line(each, (*values, *[None] * (size - len(values)))) for each, values in lines
        )
        return Chart(
            f"{self.key}-{name}", title, quantity, padded, self.interval, self.duration, note
        )


def charts(before: Document, after: Document, key: str) -> Iterator[Row]:
    """Yield rows of charts of two objectives; none where their series have other intervals."""
    runs = [one["runs"][0] for one in (before, after)]
    series = [run.get("series") for run in runs]
    if not all(series) or series[0]["interval"] != series[1]["interval"]:
        return
    frame = Frame(key, series[0]["interval"], max(run["duration"] for run in runs))
    yield [chart for direction in DIRECTIONS for chart in _goodput(frame, direction, before, after)]
    for direction in DIRECTIONS:
        if all(direction in one["directions"] for one in series):
            links = [one["directions"][direction] for one in series]
            yield list(_flow(frame, direction, links, [run["duration"] for run in runs]))
            yield list(_sojourn(frame, direction, links))
    yield list(_round_trips(frame, before, after))


def _goodput(frame: Frame, direction: str, before: Document, after: Document) -> Iterator[Chart]:
    """Yield the goodput of all transfers of a direction together, if both have some."""
    lines = []
    for side, objective in zip(SIDES, (before, after), strict=True):
        run = objective["runs"][0]
        rows = [
            one["payload"]
            for about, one in zip(objective["flows"], run["series"]["flows"], strict=True)
            if about["direction"] == direction
        ]
        if rows:
            octets = [sum(row) for row in zip(*rows, strict=True)]
            lines.append((side, rates(octets, frame.interval, run["duration"])))
    if len(lines) == len(SIDES):
        title = f"Goodput {WAYS[direction]}, all transfers"
        yield frame.chart(f"{direction}-goodput", title, "rate", lines)


def _flow(
    frame: Frame, direction: str, links: Sequence[Document], durations: Sequence[int]
) -> Iterator[Chart]:
    sides = list(zip(SIDES, links, durations, strict=True))
    yield frame.chart(
        f"{direction}-throughput",
        f"Throughput {WAYS[direction]}, with framing",
        "rate",
        [(side, rates(link["framed"], frame.interval, length)) for side, link, length in sides],
    )
    lines: list[tuple[str, Sequence[Value]]] = [
        (f"{side}: dropped", [sum(row) for row in zip(*link["reasons"].values(), strict=True)])
        for side, link, _ in sides
        if link["reasons"]
    ]
    lines += [
        (f"{side}: marked CE", link["marks"]) for side, link, _ in sides if any(link["marks"])
    ]
    if lines:
        note = f"Packets in each interval of {frame.interval // 1_000_000} ms."
        title = f"Drops and marks {WAYS[direction]}"
        yield frame.chart(f"{direction}-drops", title, "count", lines, note)


def _sojourn(
    frame: Frame, direction: str, links: Sequence[Document]
) -> Iterator[Chart | Distribution]:
    both = [(side, link["sojourn"]) for side, link in zip(SIDES, links, strict=True)]
    title = f"Time in the queue {WAYS[direction]}"
    lines = [(side, delays["mean"]) for side, delays in both]
    yield frame.chart(f"{direction}-sojourn", title, "delay", lines, MEAN)
    yield from _curves(f"{title}: how many wait at most as long", both)


def _round_trips(frame: Frame, before: Document, after: Document) -> Iterator[Chart | Distribution]:
    found = [dict(probes(one, one["runs"][0]["series"])) for one in (before, after)]
    names = [name for name in found[0] if name in found[1]][:MOST_PROBES]
    both = [
        (f"{side}: {name}", delays[name])
        for name in names
        for side, delays in zip(SIDES, found, strict=True)
    ]
    if both:
        lines = [(name, delays["mean"]) for name, delays in both]
        yield frame.chart("latency", "Round trips of the probes", "delay", lines, MEAN)
        yield from _curves("Round trips: how many are at most as long", both)


def _curves(title: str, both: Sequence[tuple[str, Document]]) -> Iterator[Distribution]:
    lines = tuple(
        Line(name, tuple(one["quantiles"][:DRAWN])) for name, one in both if one["quantiles"]
    )
    if lines:
        yield Distribution(title, SHARES[:DRAWN], lines)
