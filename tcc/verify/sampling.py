"""A simulation watched over time: its counters read at fixed moments, between its events.

Nothing is added to what runs.  A histogram of the simulation is emptied at the end of each
interval into one that keeps the whole, and filled from that again when the run is over; so a run
that is watched gives the same result as one that is not.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from tcc.verify.series import (
    SHARES,
    DelaySeries,
    DirectionSeries,
    FlowSeries,
    Series,
    TinSeries,
)

if TYPE_CHECKING:
    from tcc.engine.cake.qdisc import Cake
    from tcc.engine.measure import Histogram
    from tcc.engine.path import Interface
    from tcc.engine.queue_disc import QueueDisc
    from tcc.engine.simulation import Simulation

Count = Callable[[], int]
TIN_COUNTS = ("bytes", "dropped", "ack_drops", "ecn_mark", "backlog")


class Sampler:
    """Samples a simulation; give it to `Simulation.run`.

    Args:
        simulation: with all of its flows.
        labels: the part of each flow, in their order.
        directions: those that are shaped, `egress` or `ingress`.
        interval: between samples (ns).
    """

    def __init__(
        self,
        simulation: "Simulation",
        labels: Sequence[str],
        directions: Sequence[str],
        interval: int,
    ) -> None:
        self.interval = interval
        self._flows = [_Flow(simulation, number) for number in range(len(labels))]
        parts = tuple(dict.fromkeys(labels))
        self._directions = {
            name: _Direction(getattr(simulation, name), parts) for name in directions
        }
        self._all: list[_Flow | _Direction] = [*self._flows, *self._directions.values()]

    def begin(self) -> None:
        """Measure from now on."""
        for one in self._all:
            one.begin()

    def sample(self) -> None:
        """End an interval."""
        for one in self._all:
            one.sample()

    def end(self) -> None:
        """Give the simulation its histograms back."""
        for one in self._all:
            one.end()

    def series(self) -> Series:
        """Return what was sampled."""
        return Series(
            self.interval,
            tuple(one.series() for one in self._flows),
            {name: one.series() for name, one in self._directions.items()},
        )


class _Growth:
    """What a counter grows by in each interval."""

    def __init__(self, count: Count) -> None:
        self.count = count
        self.last = 0
        self.found: list[int] = []

    def begin(self) -> None:
        self.last = self.count()

    def sample(self) -> None:
        now = self.count()
        self.found.append(now - self.last)
        self.last = now


class _Delays:
    """One histogram, interval by interval."""

    def __init__(self, live: "Histogram") -> None:
        from tcc.engine.measure import Histogram  # noqa: PLC0415

        self.live = live
        self.whole = Histogram()
        self.samples: list[int] = []
        self.totals: list[int] = []
        self.greatest: list[int] = []

    def sample(self) -> None:
        live = self.live
        self.samples.append(live.samples)
        self.totals.append(live.total)
        self.greatest.append(live.greatest)
        if live.samples:
            self.whole.merge(live)
            live.clear()

    def end(self) -> None:
        self.live.merge(self.whole)

    def series(self) -> DelaySeries:
        return _delay_series(self.samples, self.totals, self.greatest, self.whole)


def _delay_series(
    samples: Sequence[int], totals: Sequence[int], greatest: Sequence[int], whole: "Histogram"
) -> DelaySeries:
    return DelaySeries(
        tuple(samples),
        tuple(
            total // count if count else None for count, total in zip(samples, totals, strict=True)
        ),
        tuple(
            most if count else None for count, most in zip(samples, greatest, strict=True)
        ),
        tuple(whole.quantile(share, 1000) for share in SHARES) if whole.samples else (),
    )  # fmt: skip


class _Flow:
    def __init__(self, simulation: "Simulation", number: int) -> None:
        watch = simulation.flows[number]
        ends = (simulation.egress, simulation.ingress)
        self.payload = _Growth(watch.delivered)
        self.drops = _Growth(lambda: sum(end.dropped(number) for end in ends))
        live = getattr(watch.sender, "round_trip", None)
        self.round_trip = None if live is None else _Delays(live)

    def begin(self) -> None:
        self.payload.begin()
        self.drops.begin()

    def sample(self) -> None:
        self.payload.sample()
        self.drops.sample()
        if self.round_trip is not None:
            self.round_trip.sample()

    def end(self) -> None:
        if self.round_trip is not None:
            self.round_trip.end()

    def series(self) -> FlowSeries:
        return FlowSeries(
            tuple(self.payload.found),
            tuple(self.drops.found),
            None if self.round_trip is None else self.round_trip.series(),
        )


class _Direction:
    """One interface: what leaves its qdisc, what is dropped, how long it waits."""

    def __init__(self, interface: "Interface", parts: Sequence[str]) -> None:
        self.interface = interface
        self.packets = _Growth(lambda: int(interface.sent))
        self.octets = _Growth(lambda: int(interface.sent_bytes))
        self.framed = _Growth(lambda: int(interface.framed_bytes))
        self.marks = _Growth(interface.qdisc.marked)
        self.growths = (self.packets, self.octets, self.framed, self.marks)
        self.backlog: list[int] = []
        self.reasons: list[dict[str, int]] = []
        self.parts = {
            part: _Delays(live) for part, live in zip(parts, interface.sojourns, strict=True)
        }
        self.tins = _Tins(interface.qdisc)

    def begin(self) -> None:
        for one in (*self.growths, self.tins):
            one.begin()
        self.reasons.append(self.interface.qdisc.drops_by_reason())

    def sample(self) -> None:
        for one in (*self.growths, self.tins):
            one.sample()
        for part in self.parts.values():
            part.sample()
        self.reasons.append(self.interface.qdisc.drops_by_reason())
        self.backlog.append(int(self.interface.qdisc.statistics()["backlog"]))

    def end(self) -> None:
        for one in self.parts.values():
            one.end()

    def series(self) -> DirectionSeries:
        names = sorted(self.reasons[-1]) if self.reasons else []
        by_reason = {
            name: tuple(
                after.get(name, 0) - before.get(name, 0) for before, after in pairwise(self.reasons)
            )
            for name in names
        }
        return DirectionSeries(
            packets=tuple(self.packets.found),
            octets=tuple(self.octets.found),
            framed=tuple(self.framed.found),
            marks=tuple(self.marks.found),
            backlog=tuple(self.backlog),
            reasons={name: counts for name, counts in by_reason.items() if any(counts)},
            sojourn=self._sojourn(),
            parts={part: one.series() for part, one in self.parts.items() if any(one.samples)},
            tins=self.tins.series(),
        )

    def _sojourn(self) -> DelaySeries:
        from tcc.engine.measure import Histogram  # noqa: PLC0415

        whole, parts = Histogram(), self.parts.values()
        for one in parts:
            whole.merge(one.whole)
        return _delay_series(
            [sum(row) for row in zip(*(one.samples for one in parts), strict=True)],
            [sum(row) for row in zip(*(one.totals for one in parts), strict=True)],
            [max(row) for row in zip(*(one.greatest for one in parts), strict=True)],
            whole,
        )


class _Tins:
    """The tins of a CAKE, or of all CAKEs of a device together."""

    def __init__(self, qdisc: "QueueDisc") -> None:
        from tcc.engine.cake.qdisc import Cake  # noqa: PLC0415

        self.qdiscs: Sequence[QueueDisc] = getattr(qdisc, "children", (qdisc,))
        self.cakes = [one for one in self.qdiscs if isinstance(one, Cake)]
        self.rows: list[list[tuple[int, ...]]] = []
        self.dropped_bytes = _Growth(
            lambda: sum(
                int(one.dropped_before_bytes + one.dropped_after_bytes) for one in self.cakes
            )
        )

    def begin(self) -> None:
        self.dropped_bytes.begin()
        self.rows.append(self._read())

    def sample(self) -> None:
        self.dropped_bytes.sample()
        self.rows.append(self._read())

    def _read(self) -> list[tuple[int, ...]]:
        """Return the counters of each tin, in display order."""
        each = [list(_tin_rows(cake)) for cake in self.cakes]
        return [
            tuple(map(sum, zip(*rows, strict=True))) for rows in zip(*each, strict=True)
        ]  # fmt: skip

    def series(self) -> dict[str, TinSeries]:
        from tcc.engine.cake.statistics import tin_names  # noqa: PLC0415

        if not self.cakes or not self.rows:
            return {}
        names = tin_names(self.cakes[0])
        found: dict[str, list[tuple[int, ...]]] = {name: [] for name in names}
        for (before, after), gone in zip(
            pairwise(self.rows), self.dropped_bytes.found, strict=True
        ):
            grown = [
                [now - then for then, now in zip(*rows, strict=True)]
                for rows in zip(before, after, strict=True)
            ]
            shares = _shared_out(gone, [drops + acks for _, drops, acks, _, _ in grown])
            for name, growth, share, row in zip(names, grown, shares, after, strict=True):
                came, drops, acks, marks, more = growth
                found[name].append((max(0, came - more - share), drops, acks, marks, row[-1]))
        return {
            name: TinSeries(*(tuple(column) for column in zip(*rows, strict=True)))
            for name, rows in found.items()
            if any(any(row) for row in rows)
        }


def _tin_rows(cake: "Cake") -> Iterator[tuple[int, ...]]:
    for position in range(cake.tin_count):
        row = cake.tin(cake.tin_of_position(position))
        yield tuple(int(row[name]) for name in TIN_COUNTS)


def _shared_out(whole: int, weights: Sequence[int]) -> list[int]:
    """Return integer shares of a whole in proportion to weights; they add up to it."""
    among = sum(weights)
    if not among:
        return [0] * len(weights)
    marks, seen = [0], 0
    for weight in weights:
        seen += weight
        marks.append(whole * seen // among)
    return [after - before for before, after in pairwise(marks)]
