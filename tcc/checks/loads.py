"""What the load of an objective sends, as far as arithmetic needs it."""

from tcc.checks.view import Asked, View, inward
from tcc.ir import Direction, Part

BOTH: tuple[Direction, ...] = ("egress", "ingress")
PREDEFINED: dict[str, tuple[Direction, ...]] = {
    "rrul": BOTH, "rrul_be": BOTH, "tcp_nup": ("egress",), "tcp_ndown": ("ingress",),
}  # fmt: skip
"""In which directions flent's tests send full-size packets without a pause, seen from a WAN."""
PINGS = {"rrul": 4, "rrul_be": 4, "tcp_nup": 1, "tcp_ndown": 1}
"""How many probes they have."""
PING_INTERVAL = 200_000_000
"""ns between two probes."""


def saturated(view: View, asked: Asked) -> set[str]:
    """Return the directions that TCP of full-size packets keeps busy."""
    busy: set[str] = set()
    for use in asked.objective.under:
        busy.update(PREDEFINED.get(use.name, ()))
        workload = view.workloads.get(use.name)
        for part in workload.parts if workload else ():
            if part.kind == "tcp" and part.payload is None and part.rate is None:
                busy.add("egress" if part.direction == "upload" else "ingress")
    if inward(asked.link):
        turned = {"egress": "ingress", "ingress": "egress"}
        return {turned[direction] for direction in busy}
    return busy


def parts(view: View, asked: Asked) -> list[Part]:
    """Return the parts of the workloads that the policy defines."""
    found: list[Part] = []
    for use in asked.objective.under:
        workload = view.workloads.get(use.name)
        found += workload.parts if workload else ()
    return found


def probes(view: View, asked: Asked, duration: int) -> int:
    """Return how many probes all pings of the load send in `duration` ns."""
    count = 0
    for use in asked.objective.under:
        count += PINGS.get(use.name, 0) * (duration // PING_INTERVAL)
    for part in parts(view, asked):
        if part.kind == "ping":
            count += duration // (part.interval or PING_INTERVAL)
    return count
