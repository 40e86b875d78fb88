"""The checked policy: what was meant, in integers, independent of how it was written."""

from tcc.ir.base import Node, Options, Path, Spans, span_at
from tcc.ir.framing import PRESETS, WireSize, wire_size
from tcc.ir.link import (
    Backpressure,
    Bandwidth,
    ConnectionMark,
    Device,
    Direction,
    Framing,
    Gso,
    Link,
    QdiscChoice,
    Role,
    Shaping,
)
from tcc.ir.objective import (
    Objective,
    Part,
    Requirement,
    Testbed,
    Workload,
    WorkloadUse,
)
from tcc.ir.policy import Policy
from tcc.ir.tier import MarkMatch, Match, PortRange, Tier

__all__ = [
    "PRESETS",
    "Backpressure",
    "Bandwidth",
    "ConnectionMark",
    "Device",
    "Direction",
    "Framing",
    "Gso",
    "Link",
    "MarkMatch",
    "Match",
    "Node",
    "Objective",
    "Options",
    "Part",
    "Path",
    "Policy",
    "PortRange",
    "QdiscChoice",
    "Requirement",
    "Role",
    "Shaping",
    "Spans",
    "Testbed",
    "Tier",
    "WireSize",
    "Workload",
    "WorkloadUse",
    "span_at",
    "wire_size",
]
