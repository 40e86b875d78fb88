"""Objectives: what must come out, under which load, on which machine."""

from typing import Annotated, Literal

from tcc.ir.base import Between, BitRate, Bytes, Nanoseconds, Node, Ratio
from tcc.ir.tier import Dscp

Count = Annotated[int, Between(1)]
Metric = Literal[
    "goodput", "throughput", "utilisation", "latency", "induced-latency", "sojourn", "loss",
    "marks", "mos", "fairness",
]  # fmt: skip
Statistic = Literal["mean", "median", "p95", "p99", "p99.9", "max"]


class Part(Node):
    """One kind of traffic in a workload."""

    kind: Literal["tcp", "udp", "voip", "ping"]
    direction: Literal["upload", "download"] | None = None
    """For tcp and udp; voip calls go both ways, pings are round trips."""
    flows: Count = 1
    """Flows, or calls of voip."""
    rate: BitRate | None = None
    """For udp: of each flow, or of all when `rate_is_total`."""
    rate_is_total: bool = False
    payload: Bytes | None = None
    dscp: Dscp | None = None
    congestion_control: Literal["cubic", "reno", "bbr"] | None = None
    ecn: bool = False
    hosts: Count | None = None
    rtt: Nanoseconds | None = None
    after: Nanoseconds | None = None
    interval: Nanoseconds | None = None
    """Between pings."""
    name: str | None = None
    """How objectives call this part."""


class Workload(Node):
    """A named mix of traffic."""

    name: str
    parts: tuple[Part, ...]


class WorkloadUse(Node):
    """A workload (defined or predefined) as an objective uses it."""

    name: str
    flows: Count | None = None
    hosts: Count | None = None


class Testbed(Node):
    """The machine and path that a prediction assumes; what is None is ideal."""

    name: str
    kernel: str | None = None
    host: str | None = None
    cpus: Count | None = None
    queues: Count | None = None
    queue_map: Literal["hash", "cpu"] | None = None
    nic: BitRate | None = None
    interrupt_interval: Nanoseconds | None = None
    bql: Literal["auto"] | Bytes | None = None
    """`auto`, or the largest limit in bytes."""
    ring: Count | None = None
    defer_limit: Count | Literal["none"] | None = None
    socket_backpressure: Literal["none", "rfc"] | None = None
    beyond: BitRate | None = None
    loss: Ratio | None = None
    jitter: Nanoseconds | None = None


class Requirement(Node):
    """One inequality: `[direction] [subject] metric [statistic] >=|<= value`."""

    direction: Literal["egress", "ingress"] | None = None
    subject: str | None = None
    """A tier, a part of a workload, `ping`, `flow` or `host`."""
    metric: Metric
    statistic: Statistic | None = None
    comparison: Literal[">=", "<="]
    rate: BitRate | None = None
    """The bound, in exactly one of the four fields, by the metric's dimension."""
    duration: Nanoseconds | None = None
    ratio: Ratio | None = None
    count: Annotated[int, Between(0)] | None = None


class Objective(Node):
    """Requirements that must hold together under one load."""

    text: str
    testbed: str | None = None
    link: str | None = None
    under: tuple[WorkloadUse, ...]
    duration: Nanoseconds | None = None
    rtt: Nanoseconds | None = None
    require: tuple[Requirement, ...]
