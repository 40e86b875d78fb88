"""What a verifier measured, in integers: ns, bytes, bit/s, packets.

The same types whichever verifier it was, so that a prediction and a measurement can stand side
by side.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tcc.verify.series import Series


class MeasureError(Exception):
    """A verifier could not do what it had accepted; the message says why."""


@dataclass(frozen=True, slots=True)
class Delays:
    """A distribution of delays (ns); all zero when there were no samples."""

    samples: int = 0
    mean: int = 0
    median: int = 0
    p95: int = 0
    p99: int = 0
    p999: int = 0
    max: int = 0

    def get(self, statistic: str) -> int:
        """Return the statistic that a policy calls `mean`, `median`, `p95`, ... `max`."""
        return int(getattr(self, statistic.replace("p99.9", "p999")))


@dataclass(frozen=True, slots=True)
class FlowMeasure:
    """What was measured of one flow of a scenario.

    Attributes:
        payload: bytes of payload delivered.
        goodput: bit/s of payload delivered.
        offered: packets sent.
        lost: probes or datagrams that did not arrive.
        drops: packets that the link's qdiscs dropped; None where they are not counted by flow.
        round_trip: of probes.
        mos: mean opinion score of a call, in thousandths: the worse direction.
        series: bit/s of payload delivered, second by second.
    """

    payload: int = 0
    goodput: int = 0
    offered: int = 0
    lost: int = 0
    drops: int | None = 0
    round_trip: Delays = Delays()
    mos: int | None = None
    series: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DirectionMeasure:
    """What was measured of one direction of the link.

    Attributes:
        packets: that left the qdisc.
        octets: their bytes, link-layer header included.
        framed: their bytes as the shaper counts them; those of the frames where none shapes.
        drops: packets dropped.
        reasons: drops by reason, since the beginning.
        marks: packets marked CE.
        sojourn: time in the queue.
        parts: the same by part of the workload.
        tins: what each tin counted, by name, since the beginning.
        queues: bytes that each transmit queue has sent, since the beginning; empty where the
            qdisc is one for all of them.
    """

    packets: int = 0
    octets: int = 0
    framed: int = 0
    drops: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)
    marks: int = 0
    sojourn: Delays = Delays()
    parts: Mapping[str, Delays] = field(default_factory=dict)
    tins: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    queues: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was recorded packet by packet: packets in the file, and packets that there were."""

    kept: int
    seen: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One run.

    Attributes:
        verifier: which one measured.
        model: what stands behind it, such as the engine's version and how it runs.
        seed: of the run.
        duration: time measured (ns); shorter than asked when it was interrupted.
        interrupted: Ctrl-C ended it early.
        flows: one for each flow of the scenario, in its order.
        directions: `egress` and `ingress`, as far as they are shaped.
        host: sentences on what happened on the machine behind the qdisc, where that is modelled.
        elsewhere: what packets waited on average (ns) neither in the qdiscs nor on the way, by
            place and part of the workload, where that is modelled.
        basis: `emergent` or `calibrated to ...` for a prediction, `measured` for real packets.
        series: the same over time, where the scenario asks for it and the verifier can.
        recorded: how much was recorded packet by packet, where the scenario asks for it.
    """

    verifier: str
    model: str
    seed: int
    duration: int
    interrupted: bool
    flows: tuple[FlowMeasure, ...]
    directions: Mapping[str, DirectionMeasure]
    host: tuple[str, ...] = ()
    elsewhere: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    basis: str = "emergent"
    series: Series | None = None
    recorded: Recorded | None = None
