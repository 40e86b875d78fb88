"""TBF in networkd's words: [TokenBucketFilter], and a section for the queue inside."""

from collections.abc import Iterator
from typing import Any

from tcc.express import Loss
from tcc.lower import LoweredQdisc
from tcc.plugin import Child, qdisc

SECTIONS = {
    "fq_codel": "FairQueueingControlledDelay",
    "pfifo": "PFIFO",
    "bfifo": "BFIFO",
}
FQ_CODEL = (
    ("limit", "PacketLimit", ""), ("flows", "Flows", ""), ("quantum", "QuantumBytes", ""),
    ("target", "TargetSec", "us"), ("interval", "IntervalSec", "us"),
    ("memory_limit", "MemoryLimitBytes", ""),
)  # fmt: skip


def tbf_sections(one: LoweredQdisc) -> str:
    """Return the sections; sizes are plain, because networkd's suffixes are of base 1024."""
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
    text = "\n".join(lines) + "\n"
    for child in one.children:
        text += _inside(child)
    return text


def _inside(child: Child) -> str:
    section = SECTIONS.get(child.kind)
    if section is None:
        return ""
    settings: Any = child.settings
    lines = [f"\n[{section}]", f"Parent=1:{child.minor:x}", "Handle=10"]
    if child.kind == "fq_codel":
        lines += [f"{name}={getattr(settings, field)}{unit}" for field, name, unit in FQ_CODEL]
        lines.append(f"ECN={'yes' if settings.ecn else 'no'}")
        if settings.ce_threshold is not None:
            lines.append(f"CEThresholdSec={settings.ce_threshold}us")
    else:
        name = "PacketLimit" if child.kind == "pfifo" else "LimitBytes"
        lines.append(f"{name}={settings.limit}")
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
        if child.kind not in SECTIONS:
            words = " ".join(qdisc(child.kind).command(child.settings))
            yield Loss(
                wish, "inner", f"networkd has no words for `{child.kind} {words}`",
                (f"write `inner {next(iter(SECTIONS))}`",),
                span=wish.at_option("inner"), within="qdisc",
            )  # fmt: skip
        elif getattr(child.settings, "drop_batch", 64) != 64:
            yield Loss(
                wish, "inner", "networkd has no word for fq_codel's drop_batch",
                span=wish.at_option("inner"), within="qdisc",
            )  # fmt: skip
    if wish.shaping.backpressure is not None and one.sysctls:
        yield Loss(wish, "backpressure", "networkd sets no sysctl", ("set it by sysctl.d(5)",))
