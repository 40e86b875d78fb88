"""What must hold of a policy that was not read from text by the other passes.

A policy in JSON fits the schema and still may contradict itself. These are the rules that
the passes apply while they read, over the finished policy. tests/passes/test_whole.py shows
that no policy the passes accept is refused here.
"""

from collections.abc import Iterable, Iterator
from ipaddress import ip_address, ip_network

from tcc import language
from tcc.diagnostics import Diagnostic, error
from tcc.ir import Link, Match, Objective, Path, Policy, Requirement, Shaping, Spans, Tier, span_at
from tcc.ir.base import Node
from tcc.passes.devices import name_problem
from tcc.passes.reader import MAX_DURATION, MAX_RATE, U32
from tcc.passes.requirements import METRICS, SUBJECT_METRICS, Scope, Subjects
from tcc.passes.testbeds import profile_names

Finding = tuple[str, Path, str]
"""Code, path and message."""


def check_whole(policy: Policy, spans: Spans) -> list[Diagnostic]:
    """Return an error for each rule that the policy breaks.

    Codes: duplicate-name, reserved-name, invalid-device, missing-device, bounds-exclude-rate,
    value-out-of-range, mark-outside-mask, empty-range, invalid-address, unknown-value,
    unknown-cost-profile, unknown-link, unknown-testbed, unknown-workload, unknown-subject,
    ambiguous-subject, subject-metric, missing-statistic, unexpected-statistic,
    dimension-mismatch, missing-link, missing-clause, empty-tier, empty-workload.
    """
    found: list[Finding] = []
    for rule in (_names, _links, _tiers, _workloads, _testbeds, _objectives):
        found += rule(policy)
    found += _ranges(policy, ())
    return [error(code, span_at(spans, path), message) for code, path, message in found]


def _unique(names: Iterable[tuple[str, Path]], what: str) -> Iterator[Finding]:
    seen: set[str] = set()
    for name, path in names:
        if not name:
            yield "reserved-name", path, f"a {what} has a name"
        if name in seen:
            yield "duplicate-name", path, f"the {what} `{name}` is defined twice"
        seen.add(name)


def _names(policy: Policy) -> Iterator[Finding]:
    for field, what in (("links", "link"), ("workloads", "workload"), ("testbeds", "testbed")):
        nodes = getattr(policy, field)
        yield from _unique(
            ((node.name, (field, index, "name")) for index, node in enumerate(nodes)), what
        )
    for path, tiers in _tier_lists(policy):
        yield from _unique(
            ((tier.name, (*path, index, "name")) for index, tier in enumerate(tiers)), "tier"
        )
    for index, workload in enumerate(policy.workloads):
        parts: Path = ("workloads", index, "parts")
        yield from _unique(
            (
                (part.name, (*parts, number, "name"))
                for number, part in enumerate(workload.parts)
                if part.name is not None
            ),
            "part",
        )
        if workload.name in language.PREDEFINED_WORKLOADS:
            path = ("workloads", index, "name")
            yield "duplicate-name", path, f"`{workload.name}` is a predefined workload"
    yield from _reserved(policy)


def _reserved(policy: Policy) -> Iterator[Finding]:
    named: list[tuple[str | None, Path]] = [
        (workload.name, ("workloads", index, "name"))
        for index, workload in enumerate(policy.workloads)
    ]
    for path, tiers in _tier_lists(policy):
        named += [(tier.name, (*path, index, "name")) for index, tier in enumerate(tiers)]
    for index, workload in enumerate(policy.workloads):
        named += [
            (part.name, ("workloads", index, "parts", number, "name"))
            for number, part in enumerate(workload.parts)
        ]
    for name, path in named:
        if name in language.RESERVED_SUBJECTS:
            yield "reserved-name", path, f"`{name}` has a meaning of its own in a requirement"


def _tier_lists(policy: Policy) -> Iterator[tuple[Path, tuple[Tier, ...]]]:
    yield ("tiers",), policy.tiers
    for index, link in enumerate(policy.links):
        yield ("links", index, "tiers"), link.tiers


def _links(policy: Policy) -> Iterator[Finding]:
    for index, link in enumerate(policy.links):
        path: Path = ("links", index)
        yield from _device(link, path)
        for direction in language.DIRECTIONS:
            shaping = getattr(link, direction)
            if shaping is not None:
                yield from _shaping(shaping, (*path, direction))


def _device(link: Link, path: Path) -> Iterator[Finding]:
    device = link.device
    if (device.name is None) == (device.matching is None):
        yield "missing-device", (*path, "device"), "give either `name` or `matching`"
    elif device.name is not None:
        problem = name_problem(device.name)
        if problem:
            yield "invalid-device", (*path, "device", "name"), problem
    elif device.matching is not None:
        problem = name_problem(device.matching.replace("*", "") or "x")
        if problem or not set("*?") & set(device.matching):
            message = problem or "a pattern has a `*` or a `?`"
            yield "invalid-device", (*path, "device", "matching"), message
    if link.role and link.role.kind == "host" and link.role.facing_hosts:
        yield "unknown-value", (*path, "role"), "a host does not face hosts"
    if link.connection_mark and link.connection_mark.problem:
        yield "connection-mark-unfit", (*path, "connection_mark"), link.connection_mark.problem


def _shaping(shaping: Shaping, path: Path) -> Iterator[Finding]:
    bandwidth, gso = shaping.bandwidth, shaping.gso
    if bandwidth is not None:
        bounds = (bandwidth.minimum, bandwidth.maximum)
        if (None in bounds) and bounds != (None, None):
            yield "bounds-exclude-rate", (*path, "bandwidth"), "give both bounds, or none"
        elif bandwidth.minimum is not None and bandwidth.maximum is not None:
            rate = bandwidth.rate
            if rate == "unlimited" or not bandwidth.minimum <= rate <= bandwidth.maximum:
                message = "the rate to start from is outside its bounds"
                yield "bounds-exclude-rate", (*path, "bandwidth"), message
    if gso is not None:
        wanted = {"split-when": (True, False), "split-above": (False, True)}.get(gso.mode)
        if (gso.rate is not None, gso.size is not None) != (wanted or (False, False)):
            message = f"`{gso.mode}` does not go with the rate and size given"
            yield "unknown-value", (*path, "gso"), message
    for index, field in enumerate(shaping.prefer):
        if field == "prefer" or getattr(shaping, field, None) is None:
            yield (
                "unknown-value",
                (*path, "prefer", index),
                f"`{field}` is no clause that is given here",
            )


def _tiers(policy: Policy) -> Iterator[Finding]:
    for path, tiers in _tier_lists(policy):
        for index, tier in enumerate(tiers):
            if not tier.matches:
                yield "empty-tier", (*path, index), f"no packet can be in the tier `{tier.name}`"
            for number, match in enumerate(tier.matches):
                yield from _match(match, (*path, index, "matches", number))


def _match(match: Match, path: Path) -> Iterator[Finding]:
    if match == Match():
        yield "empty-tier", path, "a match has at least one condition"
    for field in ("local_ports", "remote_ports", "ports"):
        for index, ports in enumerate(getattr(match, field)):
            if ports.first > ports.last:
                message = f"no port is from {ports.first} to {ports.last}"
                yield "empty-range", (*path, field, index), message
        if getattr(match, field) and not set(match.protocols) & {"udp", "tcp"}:
            yield "unknown-value", (*path, field), "ports go with the protocol udp or tcp"
    for index, mark in enumerate(match.marks):
        if mark.value & ~mark.mask:
            yield "mark-outside-mask", (*path, "marks", index), "no mark can match"
    for field in ("local_addresses", "remote_addresses"):
        for index, text in enumerate(getattr(match, field)):
            if _canonical(text) != text:
                message = f"`{text}` is not an address or prefix in its usual form"
                yield "invalid-address", (*path, field, index), message
    for index, name in enumerate(match.protocols):
        number = name.isascii() and name.isdigit() and len(name) <= 3 and int(name) < 256
        if name not in language.PROTOCOLS and not number:
            yield "unknown-value", (*path, "protocols", index), f"`{name}` is not a protocol"
    for index, name in enumerate(match.devices):
        problem = name_problem(name)
        if problem:
            yield "invalid-device", (*path, "devices", index), problem


def _canonical(text: str) -> str | None:
    try:
        return str(ip_network(text)) if "/" in text else str(ip_address(text))
    except ValueError:
        return None


def _workloads(policy: Policy) -> Iterator[Finding]:
    for index, workload in enumerate(policy.workloads):
        path: Path = ("workloads", index)
        if not workload.parts:
            yield "empty-workload", path, f"the workload `{workload.name}` sends nothing"
        for number, part in enumerate(workload.parts):
            if (part.direction is not None) != (part.kind in ("tcp", "udp")):
                yield (
                    "unknown-value",
                    (*path, "parts", number),
                    "tcp and udp have a direction, voip and ping have none",
                )


def _testbeds(policy: Policy) -> Iterator[Finding]:
    for index, testbed in enumerate(policy.testbeds):
        for which in ("kernel", "host"):
            name = getattr(testbed, which)
            if name is not None and name not in profile_names()[which]:
                path = ("testbeds", index, which)
                yield "unknown-cost-profile", path, f"`{name}` is not a {which} profile"


def _objectives(policy: Policy) -> Iterator[Finding]:
    subjects = Subjects(policy)
    for index, objective in enumerate(policy.objectives):
        path: Path = ("objectives", index)
        yield from _references(policy, objective, path)
        if objective.link is None and len(policy.links) != 1:
            yield "missing-link", path, "the objective does not say which link it is about"
        if not objective.under or not objective.require:
            yield "missing-clause", path, "an objective has a load and requires something"
        only = 0 if len(policy.links) == 1 else None
        which = only if objective.link is None else subjects.links.get(objective.link)
        scope = Scope(subjects, which, tuple(use.name for use in objective.under))
        for number, requirement in enumerate(objective.require):
            yield from _requirement(requirement, (*path, "require", number), scope)


def _references(policy: Policy, objective: Objective, path: Path) -> Iterator[Finding]:
    if objective.link is not None and objective.link not in {link.name for link in policy.links}:
        yield "unknown-link", (*path, "link"), f"there is no link `{objective.link}`"
    testbeds = {testbed.name for testbed in policy.testbeds}
    if objective.testbed is not None and objective.testbed not in testbeds:
        yield "unknown-testbed", (*path, "testbed"), f"there is no testbed `{objective.testbed}`"
    known = {workload.name for workload in policy.workloads} | {*language.PREDEFINED_WORKLOADS}
    for index, use in enumerate(objective.under):
        if use.name not in known:
            yield (
                "unknown-workload",
                (*path, "under", index, "name"),
                f"there is no workload `{use.name}`",
            )


def _requirement(requirement: Requirement, path: Path, scope: Scope) -> Iterator[Finding]:
    name, subject = requirement.metric, requirement.subject
    metric = METRICS[name]
    given = [field for field in ("rate", "duration", "ratio", "count") if _has(requirement, field)]
    if len(given) != 1 or given[0] not in metric.bounds:
        wanted = " or ".join(f"`{field}`" for field in metric.bounds)
        yield "dimension-mismatch", path, f"the bound of `{name}` is one {wanted}"
    elif given == ["ratio"] and not metric.low <= (requirement.ratio or 0) <= metric.high:
        yield "value-out-of-range", (*path, "ratio"), "the ratio is out of range"
    if metric.statistic == "needed" and requirement.statistic is None:
        yield "missing-statistic", path, f"`{name}` needs a statistic"
    if metric.statistic == "none" and requirement.statistic is not None:
        yield "unexpected-statistic", (*path, "statistic"), f"`{name}` is one number"
    if subject in SUBJECT_METRICS:
        if name not in SUBJECT_METRICS[subject]:
            yield "subject-metric", path, f"`{name}` is not measured of `{subject}`"
    elif subject is not None:
        kinds = scope.kinds_of(subject)
        if not kinds:
            yield "unknown-subject", path, f"`{subject}` is neither a tier nor a part of the load"
        elif len(kinds) > 1:
            yield "ambiguous-subject", path, f"`{subject}` is both a {kinds[0]} and a {kinds[1]}"
    elif name == "fairness":
        yield "subject-metric", path, "fairness is that of `flow` or `host`"


def _has(requirement: Requirement, field: str) -> bool:
    return getattr(requirement, field) is not None


_RANGES: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("minimum", "maximum", "nic", "beyond"), (1, MAX_RATE)),
    **dict.fromkeys(("memory", "size", "sndbuf", "payload", "mark_mask"), (1, U32)),
    "rtt": (1, MAX_DURATION),
    "interval": (1, MAX_DURATION),
    "after": (0, MAX_DURATION),
    "jitter": (1, MAX_DURATION),
    "interrupt_interval": (1, MAX_DURATION),
    "overhead": (-(2**15), 2**15 - 1),
    "mpu": (0, 2**16 - 1),
    "rate": (0, MAX_RATE),
    "duration": (0, MAX_DURATION),
}
"""What the passes let these fields hold, wherever they are."""


def _ranges(node: Node, path: Path) -> Iterator[Finding]:
    for field, value in node.__dict__.items():
        place = (*path, field)
        if isinstance(value, Node) and field != "options":
            yield from _ranges(value, place)
        elif isinstance(value, tuple):
            for index, item in enumerate(value):
                if isinstance(item, Node):
                    yield from _ranges(item, (*place, index))
        elif isinstance(value, int) and field in _RANGES:
            low, high = _RANGES[field]
            if not low <= value <= high:
                yield "value-out-of-range", place, f"it must be from {low} to {high}"
