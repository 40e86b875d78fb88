"""Recording a simulation: its qdiscs get taps, and every packet goes to the file as it comes.

Nothing is kept in memory but what is ahead of the clock: a host model may send a few packets at
times that are still to come.
"""

import heapq
import os
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from tcc.engine.tcp.constants import PURE_ACK
from tcc.units import NS_PER_S, format_duration
from tcc.verify.flent.writing import BEGIN
from tcc.verify.measured import MeasureError, Recorded
from tcc.verify.pcap import blocks
from tcc.verify.pcap.frames import Ends, ends_of, frame
from tcc.verify.pcap.words import Queues, aqm_of, crossed, dropped
from tcc.verify.scenario import Recording, Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tcc.engine.queue_disc import QueueDisc
    from tcc.engine.simulation import Simulation
    from tcc.engine.tap import Queue

ZERO = BEGIN * NS_PER_S
"""Simulated time begins with the year 2000, as in flent's files."""
DIRECTIONS = ("egress", "ingress")


@contextmanager
def recorded(order: Recording) -> "Iterator[BinaryIO]":
    """Have the file of a recording open.

    Raises:
        MeasureError: it cannot be written; it is empty then.
    """
    try:
        with open(order.path, "wb") as file:
            yield file
    except OSError as problem:
        with suppress(OSError):
            os.truncate(order.path, 0)
        raise MeasureError(f"{order.shown}: {problem.strerror or problem}") from problem


class Recorder:
    """Writes what the taps of a simulation tell.

    Args:
        simulation: whose clock counts, and whose flows.
        scenario: what it is of, with its `recording`.
        file: where it goes.
        title: what the file is, for whoever opens it.
    """

    def __init__(
        self, simulation: "Simulation", scenario: Scenario, file: BinaryIO, title: str
    ) -> None:
        order = scenario.recording
        assert order is not None
        self.simulation = simulation
        self.scenario = scenario
        self.file = file
        self.most = order.packets
        self.seen = [0] * (2 * len(DIRECTIONS))
        self.kept = [0] * (2 * len(DIRECTIONS))
        self.last = 0
        self._left = order.packets
        self._ahead: list[tuple[int, int, bytes]] = []
        self._count = 0
        self._ends: dict[int, Ends] = {}
        file.write(blocks.section(title.partition(":")[0], _comment(title, scenario)))
        for direction in DIRECTIONS:
            file.write(_interfaces(scenario, direction))

    def tap(self, direction: str, qdisc: "QueueDisc") -> "QueueDisc":
        """Return a qdisc that stands for another one and records what it does."""
        from tcc.engine.tap import Tap  # noqa: PLC0415

        return Tap(qdisc, self.simulation.schedule, _Way(self, direction, qdisc))

    def ends(self, flow: int) -> Ends:
        """Return who talks to whom in a flow."""
        if flow not in self._ends:
            watch = self.simulation.flows[flow]
            self._ends[flow] = ends_of(watch.kind, flow, watch.host)
        return self._ends[flow]

    def wanted(self, interface: int) -> bool:
        """Count a packet of an interface; say whether there is room for it."""
        self.seen[interface] += 1
        if self._left == 0:
            return False
        self._left -= 1
        self.kept[interface] += 1
        return True

    def add(self, time: int, block: bytes) -> None:
        """Write a packet when all that come before it have been written."""
        now = self.simulation.schedule.now
        while self._ahead and self._ahead[0][0] <= min(now, time):
            self._write(*heapq.heappop(self._ahead)[::2])
        if time > now:
            self._count += 1
            heapq.heappush(self._ahead, (time, self._count, block))
        else:
            self._write(time, block)

    def finish(self) -> Recorded:
        """Write what is left, and the counts."""
        while self._ahead:
            self._write(*heapq.heappop(self._ahead)[::2])
        span = (ZERO, ZERO + max(self.last, self.simulation.schedule.now))
        for number, (seen, kept) in enumerate(zip(self.seen, self.kept, strict=True)):
            self.file.write(blocks.statistics(number, span, seen, kept))
        return Recorded(sum(self.kept), sum(self.seen))

    def _write(self, time: int, block: bytes) -> None:
        self.last = time
        self.file.write(block)


class _Way:
    """One direction's watcher, of one qdisc."""

    def __init__(self, recorder: Recorder, direction: str, qdisc: "QueueDisc") -> None:
        self.recorder = recorder
        self.out = direction == "egress"
        self.number = 2 * DIRECTIONS.index(direction)
        self.aqm = aqm_of(recorder.scenario, direction)
        self.queues = Queues(qdisc)

    def crossed(self, packet: Mapping[str, int], now: int, queue: "Queue | None") -> None:
        """Record a packet that left the qdisc."""
        if self.recorder.wanted(self.number):
            where = self.queues.name(queue)
            self._record(packet, now, self.number, crossed(packet, now, where, self.aqm))

    def dropped(self, packet: Mapping[str, int], now: int) -> None:
        """Record a packet that was dropped."""
        if self.recorder.wanted(self.number + 1):
            self._record(packet, now, self.number + 1, dropped(packet, now, self.aqm))

    def _record(self, row: Mapping[str, int], now: int, number: int, comment: str) -> None:
        sack = row["id"] if row["kind"] == PURE_ACK else 0
        options = self.recorder.simulation.options.read(sack - 1) if sack else ()
        data, length = frame(row, self.recorder.ends(row["flow"]), self.out, options)
        way = blocks.OUTBOUND if self.out else blocks.INBOUND
        self.recorder.add(now, blocks.packet(number, ZERO + now, data, length, comment, way))


def _interfaces(scenario: Scenario, direction: str) -> bytes:
    """Return the two interfaces of a direction: what crossed, and what did not."""
    shaped = scenario.shaped(direction)
    name = f"{scenario.link.name} {direction}"
    kind, rate = "no qdisc", 0
    if shaped is not None:
        inner = f" ({shaped.children[0].kind} inside)" if shaped.children else ""
        kind = f"{shaped.kind}{inner}"
        bandwidth = shaped.wish.shaping.bandwidth
        if bandwidth is not None and isinstance(bandwidth.rate, int):
            rate = bandwidth.rate
    return blocks.interface(
        name, f"what {kind} gave to the device, when it did", rate
    ) + blocks.interface(f"{name} dropped", f"what {kind} dropped, when it did: it did not cross")


def _comment(title: str, scenario: Scenario) -> str:
    begin, end = scenario.warmup, scenario.warmup + scenario.duration
    return (
        f"{title}\nThe load begins with the year 2000 (UTC); what `tcc verify` reports is of the "
        f"time from {format_duration(begin)} to {format_duration(end)} after that."
    )
