"""Bars of who got how much: each transfer of a direction, and each host."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tcc.report.page.html import Markup, tag
from tcc.report.page.over_time import DIRECTIONS
from tcc.report.page.words import WAYS, flow_name, quantity

MOST_BARS = 32
BAR = 1000
"""Width of the widest bar in the drawing's own units."""


def fairness(objective: Mapping[str, Any]) -> Iterator[Markup]:
    """Yield a table with bars for each direction that has more than one transfer."""
    for direction in DIRECTIONS:
        flows = [
            (flow, one["goodput"])
            for flow, one in zip(objective["flows"], objective["runs"][0]["flows"], strict=True)
            if flow["direction"] == direction
        ]
        if len(flows) < 2:
            continue
        bars = [(f"{number}. {flow_name(flow)}", rate)
                for number, (flow, rate) in enumerate(flows, 1)]  # fmt: skip
        yield _bars(f"Goodput of each transfer {WAYS[direction]}", bars)
        hosts: dict[int, int] = {}
        for flow, rate in flows:
            hosts[flow["host"]] = hosts.get(flow["host"], 0) + rate
        if len(hosts) > 1:
            bars = [(f"host {host}", rate) for host, rate in sorted(hosts.items())]
            yield _bars(f"Goodput of each host {WAYS[direction]}", bars)


def jain(values: Sequence[int]) -> Fraction:
    """Return Jain's index: 1 where all are equal, 1/n where one has everything."""
    squares = sum(value * value for value in values)
    return Fraction(sum(values) ** 2, len(values) * squares) if squares else Fraction(1)


def _bars(title: str, bars: Sequence[tuple[str, int]]) -> Markup:
    most = max(rate for _, rate in bars) or 1
    index = jain([rate for _, rate in bars])
    shown = bars
    if len(bars) > MOST_BARS:
        half = MOST_BARS // 2
        ranked = sorted(bars, key=lambda bar: (-bar[1], bar[0]))
        shown = [*ranked[:half], *ranked[-half:]]
    rows = (
        tag(
            "tr",
            tag("th", name, scope="row"),
            tag("td", _bar(rate * BAR // most), class_="bar"),
            tag("td", quantity(Fraction(rate), "rate"), class_="number"),
        )
        for name, rate in shown
    )
    left_out = f" The {MOST_BARS // 2} with most and with least of {len(bars)} are shown."
    return tag(
        "figure",
        tag("h4", title),
        tag(
            "p",
            f"Jain's index is {float(index):.3f}: 1 would be perfectly even.",
            left_out if len(bars) > MOST_BARS else "",
            class_="note",
        ),
        tag("table", tag("caption", title), tag("tbody", rows), class_="bars"),
    )


def _bar(width: int) -> Markup:
    return tag(
        "svg",
        tag("rect", width=width, height=10, class_="s0"),
        viewBox=f"0 0 {BAR} 10",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
