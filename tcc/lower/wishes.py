"""Which devices a policy speaks of: one wish for each link, device and direction."""

from difflib import get_close_matches
from fnmatch import fnmatchcase

from tcc.diagnostics import Diagnostic, Severity, error, warning
from tcc.facts import DeviceFacts, Facts
from tcc.ir import Device, Direction, Path, Policy, Spans, span_at
from tcc.lower.ifb import is_ours
from tcc.plugin import Wish
from tcc.source import Span

DIRECTIONS: tuple[Direction, ...] = ("egress", "ingress")


def wishes(
    policy: Policy, facts: Facts | None, spans: Spans
) -> tuple[list[Wish], list[Diagnostic]]:
    """Return what `policy` wants of each direction of each device, in the policy's order.

    Patterns are resolved with the devices of `facts`; without facts only links that name
    their device are there, and such a device counts as an ordinary Ethernet one.

    Found: `device-missing`, `device-pattern-empty`, `device-pattern-unresolved`,
    `device-claimed-twice`.
    """
    made: list[Wish] = []
    found: list[Diagnostic] = []
    claimed: dict[tuple[str, Direction], Path] = {}
    for index, link in enumerate(policy.links):
        at: Path = ("links", index)
        devices, missing = _devices(link.device, facts, span_at(spans, (*at, "device")))
        found += missing
        for device in devices:
            for direction in DIRECTIONS:
                shaping = link.egress if direction == "egress" else link.ingress
                if shaping is None:
                    continue
                first = claimed.setdefault((device.name, direction), at)
                if first != at:
                    found.append(_claimed_twice(device.name, direction, spans, (first, at)))
                    continue
                tiers = policy.tiers_of(link)
                path = (*at, direction)
                made.append(Wish(link, direction, shaping, tiers, device, facts, path, spans))
    return made, found


def _devices(
    device: Device, facts: Facts | None, span: Span | None
) -> tuple[list[DeviceFacts], list[Diagnostic]]:
    """Return the facts of the devices that a link is for."""
    if device.name is not None:
        return _named(device.name, facts, span)
    pattern = device.matching or ""
    if facts is None or not facts.devices:
        return [], [
            warning(
                "device-pattern-unresolved",
                span,
                f"nothing is known of the devices that `{pattern}` matches",
                "without facts this link is left out",
                "give `--facts` with the output of `tcc facts` from the host",
            )
        ]
    matching = [
        known for known in facts.devices if fnmatchcase(known.name, pattern) and not is_ours(known)
    ]
    if matching:
        return matching, []
    return [], [
        warning(
            "device-pattern-empty",
            span,
            f"no device of the host matches `{pattern}`",
            f"it has {_listed(facts)}",
        )
    ]


def _named(
    name: str, facts: Facts | None, span: Span | None
) -> tuple[list[DeviceFacts], list[Diagnostic]]:
    if facts is None or not facts.devices:
        return [DeviceFacts(name=name)], []
    known = facts.device(name)
    if known is not None:
        return [known], []
    near = get_close_matches(name, [device.name for device in facts.devices], 1, 0.6)
    return [], [
        error(
            "device-missing",
            span,
            f"the host has no device `{name}`",
            f"did you mean `{near[0]}`?" if near else f"it has {_listed(facts)}",
            "one that comes and goes must be up when its facts are taken",
        )
    ]


def _listed(facts: Facts, most: int = 12) -> str:
    names = [device.name for device in facts.devices]
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"`{name}`" for name in names[:most]) + rest


def _claimed_twice(
    device: str, direction: Direction, spans: Spans, links: tuple[Path, Path]
) -> Diagnostic:
    first, second = (span_at(spans, (*link, "device")) for link in links)
    return Diagnostic(
        "device-claimed-twice",
        Severity.ERROR,
        f"two links shape the {direction} of `{device}`",
        second,
        hints=("a device has one root qdisc; keep one link, or narrow a pattern",),
        related=(("the other link", first),) if first else (),
    )
