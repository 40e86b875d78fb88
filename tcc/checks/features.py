"""What there is in a policy: the words by which `RULES` say what a rule needs.

A feature is there when a rule that needs it could find something. Asking for it costs far
less than importing the rule, so most policies import few of them. Features are

- the fields of links and shapings that somebody wrote (`framing`, `gso`, `ack_filter`), where
  an option of cake counts as the clause that says the same;
- the metrics that objectives ask for (`goodput`);
- the words below, each beside its test.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tcc.checks.view import GUESSES, Side
from tcc.ir import Match, Node, Policy, Tier
from tcc.passes.built import Built

if TYPE_CHECKING:
    from tcc.facts import Facts

SAME = {
    "bandwidth": "bandwidth",
    "rtt": "rtt",
    "flow_mode": "fairness",
    "wash": "dscp",
    "memlimit": "memory",
    "fwmark": "mark_mask",
}
"""Options of cake with the clause that says the same."""
SLOW = 64_000
"""bit/s that are few."""
LOW = 512_000
"""bit/s of which a quarter may be less than a call."""
LONG = 1_000_000_000
"""ns of a round trip that few paths have."""
FAST = 900_000_000
"""bit/s above which some lines cannot be."""
SLOWEST = 4_000
"""bit/s near the limits of the plugins."""
SMALL = 10_000
"""Bytes of memory near the limits of the plugins."""
FAR_APART = 200
KINDS = {"voip": "calls", "udp": "datagrams", "tcp": "transfers", "ping": "pings"}
HTTP = 8080
"""The highest port of the Web's."""
MANY_PORTS = 8_000
FLOW_FAIR = ("per-flow", "flows", "none", "flowblind")
"""What `fairness` says where hosts are not told apart."""
ONE_SIDED = ("srchost", "dsthost", "source", "destination")
"""How the words end that tell hosts apart on one side of a line."""
SCARCE_TINS = {"video": (None, "diffserv3")} | {
    f"tin{number}": (None, "diffserv3", "diffserv4") for number in range(3, 8)
}
"""Tins that the plugins may miss, with the modes that could lack them."""
TELLING = ("br-", "lan", "phy", "wlan", "ppp", "wan", "ww", "rmnet", "ccmni", "lte", "5g", "wg",
           "vboxnet", "docker", "podman", "virbr", "cni", "lxcbr", "lxdbr", "incusbr")  # fmt: skip
"""How names begin that tell what is behind a device."""


def features_of(
    built: Built, sides: Sequence[Side], facts: "Facts | None", target: str | None
) -> frozenset[str]:
    """Return the features of a policy, of what is known of its host, and of its target.

    `bytes`: a rate is written in bytes per second.
    """
    policy = built.policy
    assert policy is not None
    found = {target} if target else set()
    if any("B/s" in source.text for source in built.sources.values()):
        found.add("bytes")
    if facts is not None:
        found |= {"facts", "lowering"}
    found |= _of_links(policy)
    found |= _of_sides(sides)
    found |= _of_tiers(policy)
    found |= _of_objectives(policy)
    if "lowering" not in found and _extraordinary(policy, sides):
        found.add("lowering")
    return frozenset(found)


def _said(node: Node) -> set[str]:
    """Return the names of the clauses that there are."""
    return {name for name, value in vars(node).items() if value is not None and value != ()}


def _of_links(policy: Policy) -> set[str]:
    """`links`: two or more. `idle`: one has no direction. `names`: the policy is not just names.

    `roleless`, `undescribed`: one has no role, or no framing either. `numbers`: of a framing.
    `telling`: the name of a device tells what is behind it. `facing`: one faces hosts.
    `air`: one is an access point. `ifb`, `lo`: one is. `pattern`: one is many.
    `guess`: a framing is one.
    """
    found: set[str] = {"links"} if len(policy.links) > 1 else set()
    for link in policy.links:
        found |= _said(link)
        framing = link.framing
        if link.egress is None and link.ingress is None:
            found.add("idle")
        if link.role is None:
            found.add("roleless")
            if framing is None:
                found.add("undescribed")
        elif link.role.facing_hosts:
            found.add("facing")
        if framing is not None and framing.preset is None:
            found.add("numbers")
        elif framing is not None and framing.preset in GUESSES:
            found.add("guess")
        if link.device.matching is not None:
            found.add("pattern")
        name = link.device.name or link.device.matching or ""
        if name.startswith(TELLING):
            found.add("telling")
            if name.startswith(("phy", "wlan")):
                found.add("air")
        elif name.startswith("ifb"):
            found.add("ifb")
        elif name == "lo":
            found.add("lo")
    found.discard("tiers")  # of a link these are its own tiers; of a shaping, the mode
    if policy.links or policy.objectives:
        found.add("names")
    return found


def _of_sides(sides: Sequence[Side]) -> set[str]:
    """`options`: of a qdisc. `unrated`: no rate. `bounds`: of a rate. `one-tin`: a mode of one tin.

    `slow`, `low`, `fast`, `apart`, `uphill`: rates are. `one-sided`: a flow mode is.
    `flow-fair`: not between hosts. `gso-kept`: perhaps. `far`: the AQM is for a long path.
    `thinned`: acknowledgements, perhaps on the wrong side. `tbf`, `cake_mq`: a kind.
    """
    found: set[str] = set()
    rates: list[int] = []
    before: Side | None = None
    for side in sides:
        shaping = side.shaping
        found |= _said(shaping)
        if side.options is not None:
            found |= _of_options(side)
        if shaping.bandwidth is not None and shaping.bandwidth.minimum is not None:
            found.add("bounds")
        if side.rate is None:
            found.add("unrated")
        else:
            rates.append(side.rate)
            if shaping.bandwidth is not None and (shaping.bandwidth.minimum or SLOW) < SLOW:
                found.add("slow")
            if before is not None and before.rate is not None and side.link is before.link:
                found |= _uphill(before.rate, side.rate, side)
        found |= _of_clauses(side)
        before = side
    if rates and min(rates) < LOW:
        found.add("low")
        if min(rates) < SLOW:
            found.add("slow")
    if rates and max(rates) > FAST:
        found.add("fast")
    if rates and max(rates) >= FAR_APART * min(rates):
        found.add("apart")
    return found


def _of_clauses(side: Side) -> set[str]:
    found: set[str] = set()
    shaping = side.shaping
    mode = shaping.fairness or side.option("flow_mode")
    if "besteffort" in (shaping.tiers, side.option("diffserv")):
        found.add("one-tin")
    if mode is not None and mode.endswith(ONE_SIDED):
        found.add("one-sided")
    if mode in FLOW_FAIR:
        found.add("flow-fair")
    if (shaping.rtt or side.option("rtt") or 0) >= LONG:
        found.add("far")
    if side.kind in ("cake_mq", "tbf"):
        found.add(side.kind)
    if shaping.gso is not None and shaping.gso.mode != "split":
        found.add("gso-kept")
    if shaping.ack_filter is not None and side.direction == "ingress":
        found.add("thinned")
    return found


def _of_options(side: Side) -> set[str]:
    found = {"options"}
    found |= {clause for word, clause in SAME.items() if side.option(word)}
    if side.option("split_gso") is False:
        found.add("gso-kept")
    if side.option("diffserv"):
        found.add("tiers")
    return found


def _uphill(egress: int, ingress: int, side: Side) -> set[str]:
    """Whether the hosts would send at twice the rate at which they receive, or more."""
    role = side.link.role
    if role is None or role.kind == "host":
        return set()
    up, down = (ingress, egress) if role.facing_hosts else (egress, ingress)
    return {"uphill"} if up >= 2 * down else set()


def _each_tier(policy: Policy) -> Iterator[Tier]:
    yield from policy.tiers
    for link in policy.links:
        if link.tiers:
            yield from link.tiers


def _of_tiers(policy: Policy) -> set[str]:
    """`tier`: there are some. `several`: matches. `addresses`, `tier-device`: in a match.

    `video`: a tin. `wide`: a match for the voice tin, perhaps.
    """
    found: set[str] = set()
    matches = 0
    for tier in _each_tier(policy):
        found.add("tier")
        matches += len(tier.matches)
        if tier.tin == "video":
            found.add("video")
        for match in tier.matches:
            if match.local_addresses or match.remote_addresses:
                found.add("addresses")
            if match.devices:
                found.add("tier-device")
            if tier.tin == "voice" and _wide(match):
                found.add("wide")
    if matches > 1:
        found.add("several")
    return found


def _wide(match: Match) -> bool:
    """Whether a match has ports below those of calls, many of them, or hardly any condition."""
    ports = (*match.ports, *match.remote_ports, *match.local_ports)
    if ports:
        return (
            min(each.first for each in ports) <= HTTP
            or max(each.last - each.first for each in ports) > MANY_PORTS
        )
    if match.dscp:
        return 0 in match.dscp
    return not match.marks and not match.devices


def _of_objectives(policy: Policy) -> set[str]:
    """`objective`: there is one. `calls`, `datagrams`, ...: in a workload.

    `quiet`: perhaps, one direction is. `one-host`: perhaps, fairness between hosts is asked of one.
    """
    found: set[str] = set()
    crowds = {
        one.name for one in policy.workloads if sum(part.hosts or 0 for part in one.parts) > 1
    }
    for objective in policy.objectives:
        found.add("objective")
        for requirement in objective.require:
            found.add(requirement.metric)
            if requirement.subject == "host" and not any(
                (use.hosts or 0) > 1 or use.name in crowds for use in objective.under
            ):
                found.add("one-host")
        if any(use.name not in ("rrul", "rrul_be") for use in objective.under):
            found.add("quiet")
    found |= {KINDS[part.kind] for one in policy.workloads for part in one.parts}
    return found


def _extraordinary(policy: Policy, sides: Sequence[Side]) -> bool:
    """Whether a qdisc's plugin could have anything to say (`lowering`).

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
        if side.rate is not None and side.rate < SLOWEST:
            return True
        if shaping.memory is not None and shaping.memory < SMALL:
            return True
        framing = side.link.framing
        if framing is not None and framing.preset is None:
            return True
    modes = {side.shaping.tiers for side in sides}
    return any(not modes.isdisjoint(SCARCE_TINS.get(tier.tin, ())) for tier in _each_tier(policy))
