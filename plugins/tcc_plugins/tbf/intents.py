"""From what a link asks for to a token bucket and the queue inside it.

Sources: limit and mtu are derived as tc does it (q_tbf.c of iproute2); what a bucket must
hold follows from tbf_dequeue() in net/sched/sch_tbf.c.
"""

from dataclasses import dataclass

from tcc.diagnostics import error
from tcc.ir import wire_size
from tcc.lower.draft import Draft, rounded
from tcc.source import Span
from tcc.units import NS_PER_S, NS_PER_US, format_duration, format_rate, format_size
from tcc_plugins.tbf.inner import inner_of
from tcc_plugins.tbf.options import TbfOptions
from tcc_plugins.tbf.settings import ATM, ETHERNET, LONGEST, TbfSettings

US_PER_S = 1_000_000
U16 = range(2**16)
U32 = range(2**32)

AUTO_BURST = 1_000
"""us of the rate in an automatic burst. A timer on an idle machine is late by 1 to 60 us, on a
busy one by a scheduler tick; tokens that would not fit the bucket meanwhile are lost."""
DEFAULT_LATENCY = 50_000_000
"""ns. tc has no default and asks for one; its manual's examples say 50 to 70 ms."""


@dataclass(frozen=True, slots=True)
class Wire:
    """Framing as tbf has it: relative to the packet that it sees, link-layer header included."""

    overhead: int = 0
    mpu: int = 0
    linklayer: int = ETHERNET


def settings_of(draft: Draft, options: TbfOptions) -> TbfSettings | None:
    """Return complete settings for the draft's wish; what is wrong is in `draft.found`."""
    rate = _rate(draft)
    if rate is None:
        return None
    wire = _framing(draft)
    burst = _burst(draft, options, rate)
    peak, mtu = _peak(draft, options)
    asked = _limit(draft, options, (rate, burst), (peak, mtu))
    limit, inner = inner_of(draft, options, asked, rate)
    draft.fits("limit", limit, U32, "B", _limit_span(draft, options))
    return TbfSettings(
        rate=rate,
        limit=limit,
        burst=burst,
        peak=peak,
        mtu=mtu,
        overhead=wire.overhead,
        mpu=wire.mpu,
        linklayer=wire.linklayer,
        inner=inner,
    )


def _rate(draft: Draft) -> int | None:
    """Return bytes/s. Found: `tbf-needs-bandwidth`, `tbf-bounds`, and those of `byte_rate`."""
    wish = draft.wish
    asked = wish.shaping.bandwidth
    if asked is None or isinstance(asked.rate, str):
        draft.found.append(
            error(
                "tbf-needs-bandwidth",
                wish.at("bandwidth") if asked else wish.at("qdisc"),
                "tbf does nothing but shape to a rate, and there is none",
                "add `bandwidth` with a rate, or use `qdisc cake`",
            )
        )
        return None
    span = wish.at("bandwidth")
    if asked.minimum is not None:
        draft.found.append(
            wish.cannot(
                "bandwidth",
                "tbf-bounds",
                "an autorate daemon cannot move the rate of a tbf",
                "the daemons change a qdisc called cake",
                "use `qdisc cake`, or give one rate",
            )
        )
    rate = draft.byte_rate(asked.rate, span)
    draft.explain(
        f"bandwidth {format_rate(asked.rate)}", f"rate {8 * rate}bit", rounded(asked.rate), span
    )
    return rate


def _framing(draft: Draft) -> Wire:
    """Return overhead on top of what tbf counts. Found: `qdisc-cannot-express`.

    A framing counts from the IP header and tbf from the link-layer header, so that header's
    length comes off.
    """
    framing = draft.wish.link.framing
    wire = wire_size(framing)
    if framing is None:
        return Wire()
    span = draft.wish.at_link("framing")
    header = 0 if wire.raw else draft.wish.device.hard_header
    overhead = wire.overhead - header
    name = framing.preset or "in numbers"
    if wire.cells == "ptm":
        _cannot_frame(draft, name, "it knows no PTM: one byte in 65 would not be counted")
    if overhead < 0:
        _cannot_frame(
            draft,
            name,
            f"it counts the {header}B link-layer header of {draft.wish.device.name} and can only "
            f"add, so {wire.overhead}B per IP packet is {-overhead}B too little for it",
        )
    overhead = max(overhead, 0)
    draft.fits("overhead", overhead, U16, "B", span)
    draft.fits("mpu", wire.mpu, U16, "B", span)
    layer = "atm" if wire.cells == "atm" else "ethernet"
    because = f"{wire.overhead}B per IP packet, of which tbf counts {header}B itself"
    draft.explain(
        f"framing {name}",
        f"overhead {overhead} mpu {wire.mpu} linklayer {layer}",
        because if header else "",
        span,
    )
    return Wire(overhead, wire.mpu, ATM if wire.cells == "atm" else ETHERNET)


def _cannot_frame(draft: Draft, name: str, reason: str) -> None:
    draft.found.append(
        draft.wish.cannot(
            "framing",
            "qdisc-cannot-express",
            f"tbf cannot express `framing {name}`",
            reason,
            "CAKE can: write `qdisc cake`; or round up: `framing { overhead 44B }`",
            span=draft.wish.at_link("framing"),
        )
    )


def _burst(draft: Draft, options: TbfOptions, rate: int) -> int:
    frame = draft.wish.device.max_frame
    span = draft.wish.at_option("burst")
    if options.burst is None or options.burst == "auto":
        burst = frame + rate * AUTO_BURST // US_PER_S
        because = f"a frame of {frame}B and {AUTO_BURST}us of the rate, for timers that are late"
    else:
        burst, because = options.burst, ""
    shown = options.burst if isinstance(options.burst, str) else "auto"
    clause = format_size(options.burst) if isinstance(options.burst, int) else shown
    draft.explain(f"burst {clause}", f"burst {burst}", because, span)
    draft.fits("burst", burst, _buckets(rate), "B", span)
    return burst


def _buckets(rate: int) -> range:
    """Return the sizes that the kernel can keep of a bucket filled at `rate` bytes/s."""
    return range(1, min(2**32, LONGEST * rate // NS_PER_S + 1))


def _peak(draft: Draft, options: TbfOptions) -> tuple[int, int]:
    """Return the peak rate in bytes/s and its bucket in bytes, or zeros without a peak.

    Found: `tbf-mtu-without-peak`.
    """
    wish = draft.wish
    if options.peak is None:
        if options.mtu is not None:
            draft.found.append(
                error(
                    "tbf-mtu-without-peak",
                    wish.at_option("mtu"),
                    "`mtu` is the depth of the peak's bucket, and there is no peak",
                    "add `peak`, or take `mtu` out: the device's MTU is not set here",
                )
            )
        return 0, 0
    span = wish.at_option("peak")
    peak = draft.byte_rate(options.peak, span)
    mtu = wish.device.max_frame if options.mtu is None else options.mtu
    draft.fits("mtu", mtu, _buckets(peak), "B", wish.at_option("mtu"))
    draft.explain(
        f"peak {format_rate(options.peak)}", f"peakrate {8 * peak}bit mtu {mtu}",
        rounded(options.peak), span,
    )  # fmt: skip
    return peak, mtu


def _limit(draft: Draft, options: TbfOptions, rate: tuple[int, int], peak: tuple[int, int]) -> int:
    """Return how many bytes may wait; each pair is a rate and its bucket.

    Found: `tbf-latency-and-limit`.
    """
    span = _limit_span(draft, options)
    if options.limit is not None:
        if options.latency is not None:
            draft.found.append(
                error(
                    "tbf-latency-and-limit",
                    draft.wish.at_option("latency"),
                    "`latency` and `limit` both say how much may wait",
                    "keep one of them",
                )
            )
        draft.explain(f"limit {format_size(options.limit)}", f"limit {options.limit}", "", span)
        return options.limit
    latency = DEFAULT_LATENCY if options.latency is None else options.latency
    limit = bytes_waiting(latency, *rate)
    if peak[0]:
        limit = min(limit, bytes_waiting(latency, *peak))
    because = "rate x latency + burst" + (", or peak x latency + mtu if less" if peak[0] else "")
    if options.latency is None:
        because += "; nothing was said, and tc's examples are of this order"
    draft.explain(f"latency {format_duration(latency)}", f"limit {limit}", because, span)
    return limit


def bytes_waiting(latency: int, rate: int, bucket: int) -> int:
    """Return the bytes that leave within `latency` ns, whole us as in tc, bucket included."""
    return rate * (latency // NS_PER_US) // US_PER_S + bucket


def _limit_span(draft: Draft, options: TbfOptions) -> Span | None:
    return draft.wish.at_option("limit" if options.limit is not None else "latency")
