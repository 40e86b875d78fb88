"""`objective-fairness-above-mode`."""

from collections.abc import Iterator
from fractions import Fraction

from tcc.checks.features import FLOW_FAIR
from tcc.checks.loads import load_of
from tcc.checks.view import CAKES, Asked, Side, View, inward
from tcc.diagnostics import Diagnostic, warning
from tcc.ir import Part


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where hosts are to get equal shares and flows do.

    Of one host with n flows and others, each gets as many shares as it has flows: what
    Jain's index (RFC 5166) of that is, the load says.
    """
    for asked in view.asked:
        required = asked.requirement
        if required.metric != "fairness" or required.subject != "host" or required.ratio is None:
            continue
        for side in asked.sides:
            if (
                side.kind not in CAKES
                or _mode(side) not in FLOW_FAIR
                or required.comparison != ">="
            ):
                continue
            hosts = _flows_of_hosts(view, asked, side)
            index = _jain(hosts)
            if index is not None and index < required.ratio:
                yield _finding(view, asked, side, hosts, index)
                break


def _mode(side: Side) -> str | None:
    mode: str | None = side.shaping.fairness or side.option("flow_mode")
    return mode


def _flows_of_hosts(view: View, asked: Asked, side: Side) -> list[Fraction]:
    """Return how many flows each host has in a direction; nothing when that is not all TCP."""
    load = load_of(view, asked)
    uploads = (side.direction == "egress") is not inward(side.link)
    hosts: list[Fraction] = []
    nameless = Fraction()  # parts without `from N hosts` are all of the same host
    for part in load.parts:
        if part.kind in ("ping", "voip") or (part.direction == "upload") is not uploads:
            continue
        if not _greedy(part):
            return []
        if part.hosts is None:
            nameless += part.flows
        else:
            hosts += [Fraction(part.flows, part.hosts)] * part.hosts
    return [*hosts, nameless] if nameless else hosts


def _greedy(part: Part) -> bool:
    return part.kind == "tcp" and part.rate is None and part.rtt is None


def _jain(shares: list[Fraction]) -> Fraction | None:
    if len(shares) < 2:
        return None
    return sum(shares, Fraction()) ** 2 / (len(shares) * sum(share**2 for share in shares))


def _finding(
    view: View, asked: Asked, side: Side, hosts: list[Fraction], index: Fraction
) -> Diagnostic:
    return warning(
        "objective-fairness-above-mode",
        view.span(*asked.path, "ratio"),
        f"`{_mode(side)}` gives these hosts an index of {float(index):.2f}, and not "
        f"{float(asked.requirement.ratio or 0):.2f}",
        f"at best every flow gets the same, so a host with {int(max(hosts))} of them gets "
        f"{int(max(hosts))} shares",
        "write `fairness per-host`, or require `flow fairness`",
    )
