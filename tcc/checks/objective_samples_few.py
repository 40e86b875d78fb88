"""`objective-samples-few`."""

from collections.abc import Iterator

from tcc.checks.loads import load_of
from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, note
from tcc.units import format_duration

NEEDED = {"p95": 20, "p99": 100, "p99.9": 1000}
METRICS = ("latency", "induced-latency")


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a note where so few probes are sent that a percentile is their maximum."""
    for asked in view.asked:
        required, duration = asked.requirement, asked.objective.duration
        needed = NEEDED.get(required.statistic or "")
        if needed is None or required.metric not in METRICS or duration is None:
            continue
        count = sum(duration // interval for interval in load_of(view, asked).intervals)
        if 0 < 2 * count < needed:
            yield note(
                "objective-samples-few",
                view.span(*asked.path, "statistic"),
                f"{count} probes in {format_duration(duration)} have no {required.statistic}",
                f"of fewer than {needed // 2} it is no more than the slowest",
                "measure for longer, or add `ping interval 10ms` to the load",
            )
