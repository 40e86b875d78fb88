"""Requirements and measurements in plain words."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tcc.dscp import name_of

NOUNS = {
    "goodput": "payload delivered",
    "throughput": "throughput",
    "utilisation": "share of the bandwidth used",
    "latency": "round trip",
    "induced-latency": "delay added to a round trip",
    "sojourn": "time in the queue",
    "loss": "share lost",
    "marks": "packets marked CE",
    "mos": "quality of a call (MOS, 1 to 4.5)",
    "flow fairness": "evenness between flows (Jain's index)",
    "host fairness": "evenness between hosts (Jain's index)",
}
STATISTICS = {
    "mean": "on average",
    "median": "for half of them",
    "p95": "for 95 of 100",
    "p99": "for 99 of 100",
    "p99.9": "for 999 of 1000",
    "max": "at worst",
}
WAYS = {"egress": "upstream", "ingress": "downstream"}
RATES = ((10**9, "Gbit/s"), (10**6, "Mbit/s"), (10**3, "kbit/s"), (1, "bit/s"))
FAR = 10**15
DELAYS = ((10**9, "s"), (10**6, "ms"), (10**3, "µs"), (1, "ns"))


def exact(value: Any) -> Fraction | None:  # noqa: ANN401
    """Return a value of the results document: an integer, a fraction as text, or nothing."""
    return None if value is None else Fraction(value)


def quantity(value: Fraction | None, unit: str) -> str:
    """Return a value with its unit, to about four digits."""
    if value is None:
        return "nothing"
    if unit == "ratio":
        return f"{_digits(value * 100)} %"
    if unit in ("rate", "duration"):
        units = RATES if unit == "rate" else DELAYS
        size, name = next((one for one in units if abs(value) >= one[0]), units[-1])
        return f"{_digits(value / size)} {name}"
    return _digits(value) if unit == "score" else str(round(value))


def _digits(value: Fraction, count: int = 4) -> str:
    if abs(value) >= FAR:
        return "very much"
    text = f"{float(value):.{count}g}"
    return text if "e" not in text else str(round(value))


def what(requirement: Mapping[str, Any]) -> str:
    """Return what a requirement is about: `delay added to a round trip, voice, for 99 of 100`."""
    metric = requirement.get("metric")
    if metric is None:  # results of an older version have the requirement as text alone
        return str(requirement["text"])
    parts = [NOUNS.get(metric, metric), requirement.get("subject") or ""]
    parts += [WAYS.get(requirement["direction"] or "", "")]
    parts += [STATISTICS.get(requirement.get("statistic") or "", "")]
    return ", ".join(filter(None, parts))


def bound(requirement: Mapping[str, Any]) -> str:
    """Return what is required: `at most 10 ms`."""
    side = "at least" if ">=" in requirement["text"] else "at most"
    return f"{side} {quantity(exact(requirement['bound']), requirement['unit'])}"


def measured(requirement: Mapping[str, Any]) -> str:
    """Return what was measured: of several seeds the mean, with its 95 % interval."""
    unit = requirement["unit"]
    values = [found for one in requirement["measured"] if (found := exact(one)) is not None]
    if not values:
        return "nothing was measured"
    shown = quantity(sum(values, Fraction(0)) / len(values), unit)
    if len(requirement["interval"]) < 2:
        return shown
    low, high = (quantity(exact(one), unit) for one in requirement["interval"])
    return f"{shown} (95 % sure: {low} to {high})"


def margin(requirement: Mapping[str, Any]) -> str:
    """Say how far the measurement is on the good side of its bound, or on the bad one."""
    limit = exact(requirement["bound"])
    values = [found for one in requirement["measured"] if (found := exact(one)) is not None]
    if not values or not limit:
        return ""
    apart = (sum(values, Fraction(0)) / len(values) - limit) / limit
    return f"{percent(abs(apart))} {'above' if apart >= 0 else 'below'}"


def percent(share: Fraction) -> str:
    """Return a share in per cent, to three digits: enough for a difference."""
    return f"{_digits(share * 100, 3)} %"


def flow_name(flow: Mapping[str, Any]) -> str:
    """Return how the page calls a flow: its part, kind, mark and host."""
    part, kind = flow["part"], flow["kind"]
    return " ".join(
        (
            *((part,) if part == kind else (part, kind)),
            name_of(flow["dscp"]).upper(),
            *((f"host {flow['host']}",) if flow["host"] else ()),
        )
    )


def part_name(label: str) -> str:
    """Return how the page calls a part: `workload/part/tier/kind`, each word once."""
    return " ".join(dict.fromkeys(filter(None, label.split("/"))))
