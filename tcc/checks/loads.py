"""What the load of an objective sends, as far as arithmetic needs it."""

from typing import NamedTuple

from tcc.checks.view import Asked, View, inward
from tcc.ir import Direction, Part

BOTH: tuple[Direction, ...] = ("egress", "ingress")
TURNED = {"egress": "ingress", "ingress": "egress"}
PREDEFINED: dict[str, tuple[Direction, ...]] = {
    "rrul": BOTH, "rrul_be": BOTH, "tcp_nup": ("egress",), "tcp_ndown": ("ingress",),
}  # fmt: skip
"""In which directions flent's tests send full-size packets without a pause, seen from a WAN."""
PINGS = {"rrul": 4, "rrul_be": 4, "tcp_nup": 1, "tcp_ndown": 1}
"""How many probes they have."""
PING_INTERVAL = 200_000_000
"""ns between two probes."""


class Load(NamedTuple):
    """All that runs for one objective."""

    busy: frozenset[str]
    """The directions that TCP of full-size packets keeps busy."""
    parts: tuple[Part, ...]
    """The parts of the workloads that the policy defines."""
    own_paths: bool
    """Whether some part has a round trip of its own."""
    longest: int
    """Bytes of the longest payload that a part asks for; 0 when none does."""
    intervals: tuple[int, ...]
    """ns between the probes of each ping."""


def load_of(view: View, asked: Asked) -> Load:
    """Return the load of a requirement's objective; looked at once."""
    key = asked.path[1]
    if key not in view.loads:
        view.loads[key] = _load(view, asked)
    found: Load = view.loads[key]
    return found


def _load(view: View, asked: Asked) -> Load:
    busy: set[str] = set()
    parts: list[Part] = []
    intervals: list[int] = []
    for use in asked.objective.under:
        busy.update(PREDEFINED.get(use.name, ()))
        intervals += [PING_INTERVAL] * PINGS.get(use.name, 0)
        workload = view.workloads.get(use.name)
        parts += workload.parts if workload else ()
    for part in parts:
        if part.kind == "tcp" and part.payload is None and part.rate is None:
            busy.add("egress" if part.direction == "upload" else "ingress")
        elif part.kind == "ping":
            intervals.append(part.interval or PING_INTERVAL)
    if inward(asked.link):
        busy = {TURNED[direction] for direction in busy}
    return Load(
        frozenset(busy),
        tuple(parts),
        any(part.rtt for part in parts),
        max((part.payload or 0 for part in parts), default=0),
        tuple(intervals),
    )
