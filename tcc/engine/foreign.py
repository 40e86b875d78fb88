"""The slower door: a qdisc written in plain Python, inside the engine.

Such a qdisc subclasses nothing and is never compiled.  It has

* `enqueue(packet, now)`: a verdict, OK, DROP or CN of `tcc.engine.constants`;
* `dequeue(now)` and `peek(now)`: a packet, or None;
* `reset()`;
* `dropped`: a list of (packet, reason), emptied here after each call;
* `wakeup`: the time (ns) it wants to be asked again, or None.

The packets it sees are `ForeignPacket`: their attributes are the fields of `rows.Packet`, to read
and to write.  A packet is to be kept as the object it came as, and given back as that.  It comes
with its `enqueue_time` set, and with `adjusted`, its bytes on the wire, equal to its length.

An exception in it is kept in `failure`; from then on the qdisc drops what comes and gives nothing.
`check` raises it.
"""

from __future__ import annotations

from typing import Protocol

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.packet import PacketPool
from tcc.engine.queue_disc import QueueDisc

if not cython.compiled:
    from tcc.engine.constants import DROP, NIL, QDISC_DROP, QUEUE_PURGE


class ForeignPacket:
    """One packet, as a qdisc in plain Python sees it."""

    __slots__ = ("index", "pool")

    pool: PacketPool
    index: int

    def __init__(self, pool: PacketPool, index: int) -> None:
        object.__setattr__(self, "pool", pool)
        object.__setattr__(self, "index", index)

    def __getattr__(self, name: str) -> int:
        try:
            return self.pool.read(self.index)[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: int) -> None:
        self.pool.write(self.index, {name: value})


class PythonQueueDisc(Protocol):
    """What a qdisc in plain Python has."""

    dropped: list[tuple[ForeignPacket, int]]
    wakeup: int | None

    def enqueue(self, packet: ForeignPacket, now: int) -> int:
        """Take a packet at `now` (ns)."""

    def dequeue(self, now: int) -> ForeignPacket | None:
        """Give the next packet that may leave at `now` (ns)."""

    def peek(self, now: int) -> ForeignPacket | None:
        """Show the packet that `dequeue` would give."""

    def reset(self) -> None:
        """Drop every packet."""


class ForeignQueueDisc(QueueDisc):
    """Makes a qdisc of a plain Python object.

    Args:
        pool: where its packets are.
        model: a `PythonQueueDisc`.
    """

    def __init__(self, pool: PacketPool, model: PythonQueueDisc) -> None:
        QueueDisc.__init__(self, pool)
        self.model = model
        self.failure: Exception | None = None
        self.seen: dict[int, ForeignPacket] = {}  # packets the model holds

    def check(self) -> None:
        """Raise what the model has raised, if it has."""
        if self.failure is not None:
            raise self.failure

    def settle(self, incoming: int) -> bool:
        """Drop what the model dropped, note its timer; say whether `incoming` was dropped."""
        refused = False
        for packet, reason in self.model.dropped:
            if packet.index == incoming:
                refused = True
                self.drop_before(packet.index, reason)
            else:
                self.drop_after(packet.index, reason)
            del self.seen[packet.index]
        self.model.dropped.clear()
        if self.model.wakeup is not None:
            self.wakeup = self.model.wakeup
            self.model.wakeup = None
        return refused

    def take(self, packet: int, now: int) -> int:
        """Let the model take a packet."""
        view = ForeignPacket(self.pool, packet)
        view.enqueue_time = now
        view.adjusted = view.length
        self.seen[packet] = view
        verdict = int(self.model.enqueue(view, now))
        named = any(dropped.index == packet for dropped, _ in self.model.dropped)
        if verdict != DROP and not named:
            self.note_enqueued(packet)
        self.settle(packet)
        if verdict == DROP and not named:
            del self.seen[packet]
            self.drop_before(packet, QDISC_DROP)
        return DROP if named else verdict

    def give(self, now: int) -> int:
        """Let the model give a packet."""
        view = self.model.dequeue(now)
        self.settle(NIL)
        if view is None:
            return NIL
        del self.seen[view.index]
        self.note_dequeued(view.index)
        return int(view.index)

    def show(self, now: int) -> int:
        """Let the model show a packet."""
        view = self.model.peek(now)
        self.settle(NIL)
        return NIL if view is None else int(view.index)

    def do_enqueue(self, packet: cython.int, now: cython.longlong) -> cython.int:
        """Let the model take the packet."""
        self.note_received(packet)
        with cython.gil:
            try:
                if self.failure is None:
                    return self.take(packet, now)
            except Exception as error:
                self.failure = error
                self.seen.pop(packet, None)
        self.drop_before(packet, QDISC_DROP)
        return DROP

    def do_dequeue(self, now: cython.longlong) -> cython.int:
        """Let the model give a packet."""
        with cython.gil:
            try:
                if self.failure is None:
                    return self.give(now)
            except Exception as error:
                self.failure = error
        return NIL

    def do_peek(self, now: cython.longlong) -> cython.int:
        """Let the model show a packet."""
        with cython.gil:
            try:
                if self.failure is None:
                    return self.show(now)
            except Exception as error:
                self.failure = error
        return NIL

    def do_reset(self) -> cython.void:
        """Purge every packet, whatever the model thinks it holds."""
        with cython.gil:
            try:
                self.model.reset()
            except Exception as error:
                self.failure = error
            self.model.dropped.clear()
            for packet in list(self.seen):
                self.drop_after(packet, QUEUE_PURGE)
                self.drops -= 1
            self.seen.clear()
