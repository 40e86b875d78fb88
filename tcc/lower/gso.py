"""What a `gso` clause means once the rate is known.

Linux hands qdiscs packets of up to 64 KiB and more, which the device cuts up; CAKE can cut
them itself, so that one of them does not hold up the line.
"""

from tcc.diagnostics import Diagnostic
from tcc.ir import Gso
from tcc.plugin import Wish
from tcc.units import format_rate, format_size

SPLIT_LIMIT = 1_000_000_000
"""CAKE split up to this rate, in bit/s, before it became an option in Linux 4.19."""


def decided(gso: Gso, rate: int) -> tuple[bool, str]:
    """Return whether to split at `rate` bit/s (0: unlimited), and why where that depends."""
    if gso.mode in ("auto", "split-when"):
        limit = SPLIT_LIMIT if gso.rate is None else gso.rate
        shown = format_rate(rate) if rate else "unlimited"
        return 0 < rate <= limit, f"decided now: {shown}, splitting is for <= {format_rate(limit)}"
    return gso.mode != "keep", ""


def gso_clause(gso: Gso) -> str:
    """Return the clause's operands as a policy writes them."""
    if gso.rate is not None:
        return f"split when bandwidth <= {format_rate(gso.rate)}"
    return gso.mode if gso.size is None else f"split above {format_size(gso.size)}"


def cannot_split_above(wish: Wish) -> Diagnostic:
    """Return `gso-split-above`: the reference engine alone can split by size."""
    return wish.cannot(
        "gso",
        "gso-split-above",
        "no kernel splits super-packets by their size",
        "CAKE splits all of them or none; only the reference engine can tell what this would do",
        "write `gso split`, or `gso split when bandwidth <= 1gbit`",
    )
