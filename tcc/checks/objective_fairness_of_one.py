"""`objective-fairness-of-one`."""

from collections.abc import Iterator

from tcc.checks.loads import PREDEFINED, load_of
from tcc.checks.view import Asked, View
from tcc.diagnostics import Diagnostic, warning


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where hosts are to get equal shares, and the load has one host.

    Parts without `from N hosts` are all of the same host.
    """
    for asked in view.asked:
        required = asked.requirement
        if required.metric != "fairness" or required.subject != "host":
            continue
        if _hosts(view, asked) == 1:
            yield warning(
                "objective-fairness-of-one",
                view.span(*asked.path),
                "all of this load comes from one host",
                "Jain's index of one share is 1, so this holds whatever the qdisc does",
                "write `from 2 hosts` after a flow count of the load",
            )


def _hosts(view: View, asked: Asked) -> int:
    """Return how many hosts send or receive; 0 when that is not known."""
    uses = asked.objective.under
    if any(use.name not in view.workloads and use.name not in PREDEFINED for use in uses):
        return 0
    counts = [use.hosts for use in uses]
    counts += [part.hosts for part in load_of(view, asked).parts if part.kind in ("tcp", "udp")]
    said = [count for count in counts if count is not None]
    return sum(said) if said else 1
