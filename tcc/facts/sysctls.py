"""Kernel settings that shaping depends on, and the packet scheduler's clock."""

from fractions import Fraction
from pathlib import Path
from typing import Final

MATTER: Final = (
    "net.core.default_qdisc",
    "net.core.qdisc_max_burst",
    "net.core.wmem_default",
    "net.ipv4.ip_forward_update_priority",
    "net.ipv4.udp_backpressure_interval",
)

COMMON_TICKS: Final = (125, 8)
"""Ticks of 64 ns, which every kernel with high-resolution timers has."""


def sysctls(root: Path = Path("/")) -> dict[str, str]:
    """Return those that matter and are there, of the calling thread's namespace."""
    found = {}
    for name in MATTER:
        path = root / "proc/sys" / name.replace(".", "/")
        try:
            found[name] = path.read_text("ascii").strip()
        except OSError:
            continue
    return found


def ticks_per_us(root: Path = Path("/")) -> tuple[int, int] | None:
    """Return scheduler ticks per microsecond as a fraction; None when the kernel does not say.

    /proc/net/psched has, in hexadecimal: nanoseconds in a tick times the second number's
    share, that number, and the clock's resolution (iproute2, tc/tc_core.c, tc_core_init()).
    """
    try:
        words = (root / "proc/net/psched").read_text("ascii").split()
        to_us, from_us, resolution = (int(word, 16) for word in words[:3])
        ratio = Fraction(to_us, from_us) * Fraction(resolution, 10**6)
    except (OSError, ValueError, ZeroDivisionError):
        return None
    return ratio.numerator, ratio.denominator
