"""A policy as the rules look at it: each direction of each link, with what holds for it."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from tcc.ir import (
    Direction,
    Link,
    Objective,
    Path,
    Policy,
    Requirement,
    Shaping,
    Spans,
    Testbed,
    WireSize,
    Workload,
    span_at,
    wire_size,
)
from tcc.passes.built import Built
from tcc.source import Span

if TYPE_CHECKING:
    from tcc.facts import Facts

CAKES = ("auto", "cake", "cake_mq")
GUESSES = ("unknown", "conservative")
"""Framings that say that nobody knows."""


class Side(NamedTuple):
    """One direction of one link."""

    link: Link
    direction: Direction
    shaping: Shaping
    path: Path
    kind: str
    """The kind of qdisc asked for; `auto` when none is."""
    options: Any
    """The options of the kind's block, as its plugin declares them; None without a block."""
    rate: int | None
    """bit/s; None when unlimited, not said or not known."""

    def option(self, name: str) -> Any:  # noqa: ANN401  (whatever the plugin declares)
        """Return what the qdisc's block says of `name`; None when it says nothing."""
        return getattr(self.options, name, None)

    @property
    def wire(self) -> WireSize:
        """What the line adds to a packet, as far as `framing` says."""
        return wire_size(self.link.framing)


class Asked(NamedTuple):
    """One requirement, with the objective and the directions it is about."""

    objective: Objective
    requirement: Requirement
    path: Path
    sides: tuple[Side, ...]
    """The directions that it can be about; those that are not shaped are not there."""
    directions: tuple[Direction, ...]
    link: Link


class View:
    """A policy, its parts looked up once."""

    def __init__(self, built: Built, facts: "Facts | None", target: str | None) -> None:
        assert built.policy is not None
        self.built = built
        self.policy: Policy = built.policy
        self.spans: Spans = built.spans
        self.facts = facts
        self.target = target
        self.sides = sides_of(built.policy)
        self.loads: dict[int | str, Any] = {}
        """What `tcc.checks.loads` knows of each objective's load, by its number."""

    def span(self, *path: str | int) -> Span | None:
        """Return where `path` was written."""
        return span_at(self.spans, path)

    def at(self, side: Side, *field: str | int) -> Span | None:
        """Return where a field of a direction was written."""
        return span_at(self.spans, side.path + field)

    def at_link(self, side: Side, *field: str | int) -> Span | None:
        """Return where a field of the link itself was written."""
        return span_at(self.spans, side.path[:2] + field)

    def at_option(self, side: Side, name: str) -> Span | None:
        """Return where an option in the qdisc's block was written."""
        return span_at(self.spans, (*side.path, "qdisc", "options", name))

    def at_either(self, side: Side, clause: str, option: str) -> Span | None:
        """Return where a clause was written; where it was not, its option in the block."""
        if getattr(side.shaping, clause) is not None:
            return span_at(self.spans, (*side.path, clause))
        return self.at_option(side, option)

    def unknown(self, *path: str | int) -> bool:
        """Whether a part of the policy depends on a parameter without a value."""
        return path in self.built.unknown

    def device(self, link: Link, index: int | str) -> str | None:
        """Return the name of a link's device; None for a pattern, or when it is not known."""
        return None if ("links", index, "device") in self.built.unknown else link.device.name

    def name(self, side: Side) -> str:
        """Return the device's name, or its pattern, or nothing when neither is known."""
        device = side.link.device
        return self.device(side.link, side.path[1]) or device.matching or ""

    @cached_property
    def workloads(self) -> dict[str, Workload]:
        """The policy's workloads by name."""
        return {workload.name: workload for workload in self.policy.workloads}

    @cached_property
    def testbeds(self) -> dict[str, Testbed]:
        """The policy's testbeds by name."""
        return {testbed.name: testbed for testbed in self.policy.testbeds}

    @cached_property
    def asked(self) -> list[Asked]:
        """Every requirement of every objective whose link is clear."""
        return list(_asked(self))

    @cached_property
    def round_trips(self) -> dict[Path, tuple[int, Path]]:
        """By direction, the round trip (ns) that its first objective names, and that objective."""
        found: dict[Path, tuple[int, Path]] = {}
        for asked in self.asked:
            for side in asked.sides:
                if asked.objective.rtt is not None:
                    found.setdefault(side.path, (asked.objective.rtt, asked.path[:2]))
        return found


def masquerades(link: Link) -> bool:
    """Whether the device is the one towards the Internet of a router."""
    role = link.role
    return role is not None and role.kind == "router" and not role.facing_hosts


def outward(link: Link) -> bool:
    """Whether the hosts are known to be behind this machine, seen from the device."""
    role = link.role
    return role is not None and role.kind != "host" and not role.facing_hosts


def inward(link: Link) -> bool:
    """Whether the device is known to face the hosts."""
    return link.role is not None and link.role.facing_hosts


def view_of(built: Built, facts: "Facts | None", target: str | None) -> View:
    """Look at a policy that has been built."""
    return View(built, facts, target)


def sides_of(policy: Policy) -> list[Side]:
    """Return every direction of every link, egress first."""
    sides: list[Side] = []
    for index, link in enumerate(policy.links):
        if link.egress is not None:
            sides.append(_side(link, "egress", link.egress, index))
        if link.ingress is not None:
            sides.append(_side(link, "ingress", link.ingress, index))
    return sides


def _side(link: Link, direction: Direction, shaping: Shaping, index: int) -> Side:
    asked, bandwidth = shaping.qdisc, shaping.bandwidth
    options = asked.options if asked is not None else None
    rate = bandwidth.rate if bandwidth is not None else getattr(options, "bandwidth", None)
    return Side(
        link,
        direction,
        shaping,
        ("links", index, direction),
        asked.kind if asked is not None else "auto",
        options,
        rate if isinstance(rate, int) else None,
    )


def _asked(view: View) -> Iterator[Asked]:
    policy = view.policy
    sides = {side.path: side for side in view.sides}
    links = {link.name: index for index, link in enumerate(policy.links)}
    only = 0 if len(policy.links) == 1 else None
    for index, objective in enumerate(policy.objectives):
        at = links.get(objective.link) if objective.link is not None else only
        if at is None:
            continue
        for number, requirement in enumerate(objective.require):
            said = requirement.direction
            directions: tuple[Direction, ...] = (said,) if said else ("egress", "ingress")
            paths = [("links", at, direction) for direction in directions]
            yield Asked(
                objective,
                requirement,
                ("objectives", index, "require", number),
                tuple(sides[path] for path in paths if path in sides),
                directions,
                policy.links[at],
            )
