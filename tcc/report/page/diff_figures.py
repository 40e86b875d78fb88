"""The figures that a comparison puts side by side."""

from collections.abc import Iterator, Mapping
from typing import Any

from tcc.report.page.over_time import DIRECTIONS
from tcc.report.page.words import WAYS, flow_name
from tcc.units import NS_PER_S

Document = Mapping[str, Any]
Figure = tuple[str, int, str]


def figures(objective: Document) -> Iterator[Figure]:
    """Yield name, value and unit of what is compared, of the first seed."""
    run = objective["runs"][0]
    for direction in DIRECTIONS:
        flows = [
            flow["goodput"]
            for flow, about in zip(run["flows"], objective["flows"], strict=True)
            if about["direction"] == direction
        ]
        if flows:
            yield f"goodput {WAYS[direction]}", sum(flows), "rate"
        if direction in run["directions"]:
            yield from _of_link(run["directions"][direction], run["duration"], WAYS[direction])
    for name, delays in _worst_probes(objective).items():
        yield f"round trip of {name}, half of them", delays["median"], "duration"
        yield f"round trip of {name}, 99 of 100", delays["p99"], "duration"


def _of_link(one: Document, duration: int, way: str) -> Iterator[Figure]:
    yield (
        f"throughput {way}, with framing",
        one["framed"] * 8 * NS_PER_S // max(1, duration),
        "rate",
    )
    if one["sojourn"]["samples"]:
        yield f"time in the queue {way}, half of all", one["sojourn"]["median"], "duration"
        yield f"time in the queue {way}, 99 of 100", one["sojourn"]["p99"], "duration"
    yield f"packets dropped {way}", one["drops"], "count"
    yield f"packets marked {way}", one["marks"], "count"


def _worst_probes(objective: Document) -> dict[str, Document]:
    """Return the delays of each kind of probe; of several alike, of the one that fared worst."""
    found: dict[str, Document] = {}
    for flow, one in zip(objective["flows"], objective["runs"][0]["flows"], strict=True):
        name, delays = flow_name(flow), one["round_trip"]
        if delays["samples"] and delays["p99"] >= found.get(name, {"p99": -1})["p99"]:
            found[name] = delays
    return found
