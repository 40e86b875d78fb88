"""`memory-below-bdp`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.units import bytes_in, format_duration, format_rate, format_size

DEFAULT_RTT = 100_000_000


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning where the memory does not hold what is on the way in one round trip."""
    for side in view.sides:
        memory = side.shaping.memory or side.option("memlimit")
        rtt = side.shaping.rtt or side.option("rtt") or DEFAULT_RTT
        if not memory or side.rate is None or side.kind == "cake_mq":
            continue  # of which each queue has so much
        if view.unknown(*side.path, "rtt"):
            continue
        needed = bytes_in(rtt, side.rate)
        if memory < needed:
            kib = -(-needed // 1024)
            yield warning(
                "memory-below-bdp",
                view.at_either(side, "memory", "memlimit"),
                f"{format_size(memory)} is less than {format_rate(side.rate)} carries in "
                f"{format_duration(rtt)}",
                "one flow needs a queue of that length to keep the line busy when its window is "
                "halved, and buffers take more memory than the packets in them",
                f"write at least `memory {kib}KiB`, or leave it to the kernel (4 MiB or more)",
            )
