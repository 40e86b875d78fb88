"""TBF in networkd's words: [TokenBucketFilter], with the kernel's own FIFO inside.

A section for another queue inside is read and never carried out: networkd waits for the class that
it would hang on, and a token bucket's class is nothing that networkd makes (systemd issue 29485;
seen with 252).
"""

from collections.abc import Iterator
from typing import Any

from tcc.express import Loss
from tcc.lower import LoweredQdisc

FIFO = "bfifo"


def tbf_sections(one: LoweredQdisc) -> str:
    """Return the section; sizes are plain, because networkd's suffixes are of base 1024."""
    bucket: Any = one.settings
    lines = [
        "[TokenBucketFilter]",
        "Parent=root",
        "Handle=1",
        f"Rate={8 * bucket.rate}",
        f"BurstBytes={bucket.burst}",
        f"LimitBytes={bucket.limit}",
    ]
    if bucket.peak:
        lines += [f"PeakRate={8 * bucket.peak}", f"MTUBytes={bucket.mtu}"]
    if bucket.mpu:
        lines.append(f"MPUBytes={bucket.mpu}")
    return "\n".join(lines) + "\n"


def losses_of_tbf(one: LoweredQdisc) -> Iterator[Loss]:
    """Yield what networkd cannot be told of a token bucket and of what waits inside."""
    bucket: Any = one.settings
    wish = one.wish
    if bucket.overhead or bucket.linklayer != 1:
        yield Loss(
            wish, "framing", "networkd's token bucket has no overhead and no link layer",
            ("only CAKE's section has them: write `qdisc cake`",),
        )  # fmt: skip
    for child in one.children:
        if child.kind != FIFO:
            yield Loss(
                wish, "inner", f"networkd makes no {child.kind} inside of a token bucket",
                ("it waits for a class that never comes", f"write `inner {FIFO}`, or `qdisc cake`"),
                span=wish.at_option("inner"), within="qdisc",
            )  # fmt: skip
    if wish.shaping.backpressure is not None and one.sysctls:
        yield Loss(wish, "backpressure", "networkd sets no sysctl", ("set it by sysctl.d(5)",))
