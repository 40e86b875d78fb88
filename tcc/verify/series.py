"""Measurements over time, in integers: what happened in each interval of the measured time.

Intervals are equally long, but for the last, which ends with the measured time.  There are at
most `MOST_INTERVALS`, so that a long run takes no more memory than a short one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tcc.units import NS_PER_MS

STEP = 200 * NS_PER_MS
"""Shortest interval: flent's step."""
MOST_INTERVALS = 512
SHARES = (*range(0, 1000, 10), 995, 999, 1000)
"""The quantiles that a distribution is drawn from, in thousandths."""


def interval_of(duration: int) -> int:
    """Return the interval (ns) for a measured time (ns), a multiple of `STEP`."""
    return STEP * max(1, -(-duration // (STEP * MOST_INTERVALS)))


@dataclass(frozen=True, slots=True)
class DelaySeries:
    """Delays over time (ns), and their distribution over the whole time.

    Attributes:
        samples: how many there were in each interval.
        mean: of each interval; None without samples.
        max: of each interval; None without samples.
        quantiles: of the whole time, one for each of `SHARES`; empty without samples.
    """

    samples: tuple[int, ...] = ()
    mean: tuple[int | None, ...] = ()
    max: tuple[int | None, ...] = ()
    quantiles: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FlowSeries:
    """One flow over time.

    Attributes:
        payload: bytes of payload delivered.
        drops: packets that the link's qdiscs dropped, in both directions.
        round_trip: of probes; None for transfers.
    """

    payload: tuple[int, ...] = ()
    drops: tuple[int, ...] = ()
    round_trip: DelaySeries | None = None


@dataclass(frozen=True, slots=True)
class TinSeries:
    """One tin of CAKE over time.

    Attributes:
        octets: bytes that left, headers included: what came, less what it then held more and
            less what was dropped.  The qdisc counts dropped bytes for all tins together: where
            several drop in one interval they are shared out by the packets dropped.
        drops: packets dropped, without those that the ACK filter took.
        ack_drops: acknowledgements that the ACK filter took.
        marks: packets marked CE.
        backlog: bytes queued at the end of the interval.
    """

    octets: tuple[int, ...] = ()
    drops: tuple[int, ...] = ()
    ack_drops: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()
    backlog: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectionSeries:
    """One direction of the link over time.

    Attributes:
        packets: that left the qdisc.
        octets: their bytes, link-layer header included.
        framed: their bytes as the shaper counts them.
        marks: packets marked CE.
        backlog: bytes queued at the end of the interval.
        reasons: packets dropped, by reason.
        sojourn: time in the queue.
        parts: the same by part of the workload, as `DirectionMeasure` names them.
        tins: by name; empty where the qdisc has none.
    """

    packets: tuple[int, ...] = ()
    octets: tuple[int, ...] = ()
    framed: tuple[int, ...] = ()
    marks: tuple[int, ...] = ()
    backlog: tuple[int, ...] = ()
    reasons: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    sojourn: DelaySeries = DelaySeries()
    parts: Mapping[str, DelaySeries] = field(default_factory=dict)
    tins: Mapping[str, TinSeries] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Series:
    """One run over time.

    Attributes:
        interval: between samples (ns).
        flows: one for each flow of the scenario, in its order.
        directions: `egress` and `ingress`, as far as they are shaped.
    """

    interval: int
    flows: tuple[FlowSeries, ...]
    directions: Mapping[str, DirectionSeries]
