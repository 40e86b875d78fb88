"""A policy as the rules look at it: each direction of each link, with what holds for it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
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
SAME = {
    "bandwidth": "bandwidth",
    "rtt": "rtt",
    "flow_mode": "fairness",
    "wash": "dscp",
    "memlimit": "memory",
    "fwmark": "mark_mask",
}
"""Options of cake with the clause that says the same."""
SLOW = 4_000
"""bit/s below which the plugins' own limits are near."""
SMALL = 10_000
"""Bytes of memory below which the plugins' own limits are near."""
SCARCE_TINS = {"video": (None, "diffserv3")} | {
    f"tin{number}": (None, "diffserv3", "diffserv4") for number in range(3, 8)
}
"""Tins that the plugins may miss, with the modes that could lack them."""


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


@dataclass
class View:
    """A policy, its parts looked up once."""

    built: Built
    policy: Policy
    spans: Spans
    facts: "Facts | None"
    target: str | None
    sides: list[Side]
    features: frozenset[str]
    """What there is in the policy, for rules to say what they need: fields of links and
    shapings that somebody wrote, and `idle` (a link without a direction), `links` (two or
    more), `options`, `tier`, `objective`, `names`, `facts`, `lowering`, the target's name."""

    loads: dict[int | str, Any] = field(default_factory=dict)
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
    assert built.policy is not None
    policy = built.policy
    sides: list[Side] = []
    features: set[str] = set()
    for index, link in enumerate(policy.links):
        features |= link.__pydantic_fields_set__
        before = len(sides)
        if link.egress is not None:
            sides.append(_side(link, "egress", link.egress, index, features))
        if link.ingress is not None:
            sides.append(_side(link, "ingress", link.ingress, index, features))
        if len(sides) == before:
            features.add("idle")
    # Of a link, `tiers` are its own tiers; of a shaping, the mode.
    features.discard("tiers")
    if any(side.shaping.tiers is not None or side.option("diffserv") for side in sides):
        features.add("tiers")
    features |= _of_policy(policy, facts, target)
    if facts is not None or _extraordinary(policy, sides):
        features.add("lowering")
    return View(built, policy, built.spans, facts, target, sides, frozenset(features))


def _side(
    link: Link, direction: Direction, shaping: Shaping, index: int, features: set[str]
) -> Side:
    features |= shaping.__pydantic_fields_set__
    asked, bandwidth = shaping.qdisc, shaping.bandwidth
    options = asked.options if asked is not None else None
    if options is not None:
        features.add("options")
        features |= {clause for word, clause in SAME.items() if getattr(options, word, None)}
        if getattr(options, "split_gso", None) is False:
            features.add("gso")
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


def _of_policy(policy: Policy, facts: "Facts | None", target: str | None) -> set[str]:
    features = {target} if target else set()
    if facts is not None:
        features.add("facts")
    if len(policy.links) > 1:
        features.add("links")
    if policy.tiers or any(link.tiers for link in policy.links):
        features.add("tier")
    if policy.objectives:
        features.add("objective")
    if policy.links or policy.objectives:
        features.add("names")  # what only others include may leave its names to them
    return features


def _extraordinary(policy: Policy, sides: list[Side]) -> bool:
    """Whether a qdisc's plugin could have anything to say.

    Plugins are slow to load, and of most policies they have nothing to say. What is
    passed over here is what no plugin warns of: cake with the clauses of the language in
    the ranges of everyday.
    """
    devices = [link.device.name for link in policy.links if link.device.name is not None]
    if len(set(devices)) < len(devices):
        return True
    for side in sides:
        shaping = side.shaping
        if side.kind != "auto" and (side.kind != "cake" or side.options is not None):
            return True
        if shaping.backpressure is not None or (shaping.gso and shaping.gso.size is not None):
            return True
        if side.rate is not None and side.rate < SLOW:
            return True
        if shaping.memory is not None and shaping.memory < SMALL:
            return True
        framing = side.link.framing
        if framing is not None and framing.preset is None:
            return True
    modes = {side.shaping.tiers for side in sides}
    tiers = [*policy.tiers, *(tier for link in policy.links for tier in link.tiers)]
    return any(not modes.isdisjoint(SCARCE_TINS.get(tier.tin, ())) for tier in tiers)


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
