"""From an objective to a scenario: everything a verifier has to set up, and nothing else.

What is simulated is what lowering emits for the link, not what the policy wished for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tcc.dscp import NAMES
from tcc.ir import Link, Objective, Part, Policy, Testbed, Tier
from tcc.lower import LoweredQdisc
from tcc.units import NS_PER_MS, NS_PER_S
from tcc.verify.tiers import Traffic, mark_of, tier_of
from tcc.verify.washing import washing_link
from tcc.verify.workloads import PING_INTERVAL, parts_of

DEFAULT_DURATION = 10 * NS_PER_S
DEFAULT_RTT = 20 * NS_PER_MS
SHORTEST_WARMUP = 2 * NS_PER_S
LONGEST_WARMUP = 10 * NS_PER_S
WARMUP_ROUND_TRIPS = 100
DEFAULT_MARKS = {"voip": NAMES["ef"]}
"""Calls are marked, as telephones do (RFC 4594); all else comes unmarked."""
PROBE_METRICS = ("latency", "induced-latency", "sojourn", "loss")


@dataclass(frozen=True, slots=True)
class Flow:
    """One flow of a scenario.

    Attributes:
        kind: tcp, udp, voip or ping.
        direction: `egress` (upload) or `ingress` (download) for its data; None for both.
        sent_dscp: the mark it comes with.
        dscp: the mark that the link's qdiscs see, after the tiers.
        part: what objectives may call it: the name of its part, else of its workload.
        workload: the workload it comes from.
        tier: the tier it falls into.
        host: number of the host on the hosts' side.
        rate: of udp, bit/s.
        payload: bytes of a udp datagram; None for the usual.
        control: congestion control of tcp.
        ecn: whether tcp negotiates ECN.
        interval: between pings (ns).
        rtt: of this flow alone (ns); None for the scenario's.
        start: when it begins, after the load does (ns).
    """

    kind: str
    direction: str | None
    sent_dscp: int
    dscp: int
    part: str
    workload: str
    tier: str | None
    host: int = 0
    rate: int = 0
    payload: int | None = None
    control: str = "cubic"
    ecn: bool = False
    interval: int = PING_INTERVAL
    rtt: int | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class Recording:
    """What is to be recorded of one run of a scenario, packet by packet.

    Attributes:
        path: of the file to write, anew.
        shown: what the file will be called.
        seed: of the run.
        packets: at most, the first ones.
    """

    path: str
    shown: str
    seed: int
    packets: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """What one objective asks to be run.

    Attributes:
        index: of the objective in the policy.
        link: whose qdiscs are measured.
        egress: what shapes uploads, lowered; None for nothing.
        ingress: what shapes downloads.
        flows: the load and the probes.
        rtt: idle round trip (ns).
        duration: time to measure (ns).
        warmup: time before (ns).
        testbed: machine and path; None is the ideal one.
        tiers: those of the link, in order of precedence.
        sampling: whether to measure over time, too.
        recording: what to record packet by packet, if anything.
    """

    index: int
    objective: Objective
    link: Link
    egress: LoweredQdisc | None
    ingress: LoweredQdisc | None
    flows: tuple[Flow, ...]
    rtt: int
    duration: int
    warmup: int
    testbed: Testbed | None
    tiers: tuple[Tier, ...] = ()
    sampling: bool = False
    recording: Recording | None = None

    @property
    def local(self) -> bool:
        """Whether the senders' sockets are on the machine that shapes."""
        return self.link.role is not None and self.link.role.kind == "host"

    def shaped(self, direction: str) -> LoweredQdisc | None:
        """Return the qdisc of `egress` or `ingress`."""
        return self.egress if direction == "egress" else self.ingress


def scenarios(policy: Policy, lowered: Sequence[LoweredQdisc]) -> Iterator[Scenario]:
    """Yield the scenario of every objective, in the order of the policy."""
    for index, objective in enumerate(policy.objectives):
        link = _link(policy, objective)
        ends = {one.wish.direction: one for one in lowered if one.wish.link.name == link.name}
        rtt = objective.rtt or DEFAULT_RTT
        testbed = next((one for one in policy.testbeds if one.name == objective.testbed), None)
        yield Scenario(
            index,
            objective,
            link,
            ends.get("egress"),
            ends.get("ingress"),
            tuple(_flows(policy, link, objective)),
            rtt,
            objective.duration or DEFAULT_DURATION,
            min(LONGEST_WARMUP, max(SHORTEST_WARMUP, WARMUP_ROUND_TRIPS * rtt)),
            testbed,
            policy.tiers_of(link),
        )


def _link(policy: Policy, objective: Objective) -> Link:
    if objective.link is None:
        return policy.links[0]
    return next(link for link in policy.links if link.name == objective.link)


def _flows(policy: Policy, link: Link, objective: Objective) -> Iterator[Flow]:
    """Yield the flows of every workload, then a probe for each tier that has none."""
    probed: set[str] = set()
    hosts = 0
    for use in objective.under:
        for part in parts_of(policy, use):
            first = 0
            if part.hosts is not None:
                first, hosts = hosts + 1, hosts + part.hosts
            for flow in _expand(policy, link, part, use.name, first):
                if flow.kind in ("ping", "voip") and flow.tier:
                    probed.add(flow.tier)
                yield flow
    yield from _probes(policy, link, objective, probed)


def _expand(
    policy: Policy, link: Link, part: Part, workload: str, first_host: int
) -> Iterator[Flow]:
    directions = {"upload": "egress", "download": "ingress"}
    rate = part.rate or 0
    if part.rate_is_total:
        rate //= part.flows
    dscp = part.dscp if part.dscp is not None else DEFAULT_MARKS.get(part.kind, 0)
    washed = part.direction != "download" and washing_link(policy, link) is not None
    tier, seen = _marked(policy, link, part.kind, 0 if washed else dscp)
    for number in range(part.flows):
        yield Flow(
            part.kind,
            directions[part.direction] if part.direction else None,
            dscp,
            seen,
            part.name or workload,
            workload,
            tier,
            first_host + number % (part.hosts or 1),
            rate,
            part.payload,
            part.congestion_control or "cubic",
            part.ecn,
            part.interval or PING_INTERVAL,
            part.rtt,
            part.after or 0,
        )


def _marked(policy: Policy, link: Link, kind: str, dscp: int) -> tuple[str | None, int]:
    """Return the tier of a flow and the mark it bears in the link's qdiscs."""
    tier = tier_of(policy.tiers_of(link), Traffic("tcp" if kind == "tcp" else "udp", dscp))
    return (None, dscp) if tier is None else (tier.name, _mark(link, tier.tin))


def _mark(link: Link, tin: str) -> int:
    modes = [shaping.tiers for shaping in (link.egress, link.ingress) if shaping]
    return mark_of(tin, modes[0] if modes else None)


def _probes(policy: Policy, link: Link, objective: Objective, probed: set[str]) -> Iterator[Flow]:
    """Yield a ping for every tier whose delay or loss is required and that nothing measures."""
    tiers = {tier.name: tier for tier in policy.tiers_of(link)}
    for requirement in objective.require:
        name = requirement.subject
        if name in tiers and name not in probed and requirement.metric in PROBE_METRICS:
            probed.add(name)
            mark = _mark(link, tiers[name].tin)
            yield Flow("ping", None, mark, mark, name, "probe", name)
