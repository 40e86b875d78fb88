"""Discrete events in integer nanoseconds, in a heap of flat arrays.

Whatever happens is addressed to a `Handler`.  Events at one time happen in the order in which
they were armed: the heap is ordered by (time, order), and `order` counts every arming.

Three ways to make something happen:

* a *timer* is a node that stays (`new_timer`): `arm` moves it, `disarm` stops it.  An event
  that is re-armed a thousand times is one entry in the heap.
* an event that happens once (`at`) takes a node and gives it back.  One that is due at once
  waits in a list instead of the heap; it cannot be disarmed;
* a *delay line* (`new_line`) holds packets on their way, in order: one node for the line, however
  many packets are on it.  A packet's tie is broken by when it was sent, as if each had an entry
  of its own.

Time is never negative.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.ref import PyObject
    from cython.cimports.libc.stdlib import free, realloc
else:
    from tcc.engine.constants import NEVER, NIL
    from tcc.engine.rows import Entry, Line, Node, Packet

from tcc.engine.packet import PacketPool

if TYPE_CHECKING:
    from collections.abc import Callable


class Handler:
    """Something that events are addressed to."""

    def __init__(self) -> None:
        self.address = NIL

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """Let `what` happen at `now` (ns).

        For a delay line `argument` is the packet that arrives.
        """

    def attach(self, address: int) -> None:
        """Note under which number a schedule knows this handler."""
        self.address = address


class PythonHandler(Handler):
    """Calls a Python function for each event, for tests and plugins.

    An exception stops the schedule, and `run` raises it.

    Args:
        schedule: whose events it takes.
        call: function of (what, argument, now).
    """

    def __init__(self, schedule: Schedule, call: Callable[[int, int, int], None]) -> None:
        Handler.__init__(self)
        self.schedule = schedule
        self.call = call
        schedule.add(self)

    def handle(self, what: cython.int, argument: cython.int, now: cython.longlong) -> cython.void:
        """Call the function."""
        with cython.gil:
            try:
                self.call(what, argument, now)
            except Exception as error:
                self.schedule.fail(error)


class Schedule:
    """Every event of one simulation.

    Args:
        pool: where the packets on its delay lines are.
    """

    def __init__(self, pool: PacketPool) -> None:
        self.pool = pool
        self.now = 0
        self.order = 0
        self.fired = 0
        self.stopped = False
        self.failure: BaseException | None = None
        self.armed = 0
        self.vacant = False
        self.first_ready = self.last_ready = NIL
        self.node_count = 0
        self.free_node = NIL
        self.line_count = 0
        self.kept: list[Handler] = []
        if not cython.compiled:
            self.heap: list[Entry] = []
            self.nodes: list[Node] = []
            self.lines: list[Line] = []
            self.handlers: list[Handler] = []
        if not self.grow_nodes():
            raise MemoryError

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.heap)
            free(self.nodes)
            free(self.lines)
            free(self.handlers)

    def add(self, handler: Handler) -> int:
        """Make a handler known; return its address."""
        address: cython.int = len(self.kept)
        if cython.compiled:
            handlers: cython.pointer[cython.pointer[PyObject]] = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                realloc(self.handlers, (address + 1) * cython.sizeof(cython.size_t)),
            )
            if not handlers:
                raise MemoryError
            handlers[address] = cython.cast(cython.pointer[PyObject], handler)
            self.handlers = handlers
        else:
            self.handlers.append(handler)
        self.kept.append(handler)
        handler.attach(address)
        return address

    def fail(self, error: BaseException) -> None:
        """Stop, and let `run` raise this."""
        if self.failure is None:
            self.failure = error
        self.stopped = True

    def new_timer(self, handler: Handler, what: int, argument: int = 0) -> int:
        """Return a node that stays: for `arm` and `disarm`."""
        node = self.take_node()
        if node == NIL:
            raise MemoryError
        self.nodes[node].handler = handler.address
        self.nodes[node].what = what
        self.nodes[node].argument = argument
        return node

    def new_line(self, handler: Handler, what: int) -> int:
        """Return a delay line that delivers packets to `handler`."""
        line: cython.int = self.line_count
        if cython.compiled:
            lines: cython.pointer[Line] = cython.cast(
                cython.pointer[Line], realloc(self.lines, (line + 1) * cython.sizeof(Line))
            )
            if not lines:
                raise MemoryError
            self.lines = lines
        else:
            self.lines.append(Line())
        self.line_count = line + 1
        node = self.new_timer(handler, what)
        self.nodes[node].line = line
        self.lines[line].head = NIL
        self.lines[line].tail = NIL
        self.lines[line].node = node
        self.lines[line].packets = 0
        return line

    def grow_nodes(self) -> cython.int:
        """Double the nodes, and the heap with them; return 0 if there is no memory."""
        count: cython.int = self.node_count * 2 or 64
        node: cython.int
        if cython.compiled:
            nodes: cython.pointer[Node] = cython.cast(
                cython.pointer[Node], realloc(self.nodes, count * cython.sizeof(Node))
            )
            if not nodes:
                return 0
            self.nodes = nodes
            heap: cython.pointer[Entry] = cython.cast(
                cython.pointer[Entry], realloc(self.heap, count * cython.sizeof(Entry))
            )
            if not heap:
                return 0
            self.heap = heap
        else:
            self.nodes.extend(Node() for _ in range(count - self.node_count))
            self.heap.extend(Entry() for _ in range(count - self.node_count))
        for node in range(count - 1, self.node_count - 1, -1):
            self.nodes[node].argument = self.free_node
            self.nodes[node].position = NIL
            self.free_node = node
        self.node_count = count
        return 1

    def take_node(self) -> cython.int:
        """Return a node that is not armed and serves no line; NIL if there is no memory."""
        if self.free_node == NIL and not self.grow_nodes():
            return NIL
        node: cython.int = self.free_node
        self.free_node = self.nodes[node].argument
        self.nodes[node].position = NIL
        self.nodes[node].line = NIL
        self.nodes[node].once = 0
        self.nodes[node].argument = 0
        return node

    def sift_up(
        self, place: cython.int, time: cython.longlong, order: cython.ulonglong, node: cython.int
    ) -> cython.void:
        """Put an entry where it belongs, from `place` towards the root."""
        heap: cython.pointer[Entry] = self.heap
        above: cython.int
        while place > 0:
            above = (place - 1) >> 1
            if heap[above].time < time or (heap[above].time == time and heap[above].order < order):
                break
            heap[place].time = heap[above].time
            heap[place].order = heap[above].order
            heap[place].node = heap[above].node
            self.nodes[heap[place].node].position = place
            place = above
        heap[place].time = time
        heap[place].order = order
        heap[place].node = node
        self.nodes[node].position = place

    def sift_down(
        self, place: cython.int, time: cython.longlong, order: cython.ulonglong, node: cython.int
    ) -> cython.void:
        """Put an entry where it belongs, from `place` away from the root."""
        heap: cython.pointer[Entry] = self.heap
        count: cython.int = self.armed
        below: cython.int
        while True:
            below = 2 * place + 1
            if below >= count:
                break
            if below + 1 < count:
                if heap[below + 1].time == heap[below].time:
                    below += heap[below + 1].order < heap[below].order
                else:  # no branch on what nobody can foresee
                    below += heap[below + 1].time < heap[below].time
            if time < heap[below].time or (time == heap[below].time and order < heap[below].order):
                break
            heap[place].time = heap[below].time
            heap[place].order = heap[below].order
            heap[place].node = heap[below].node
            self.nodes[heap[place].node].position = place
            place = below
        heap[place].time = time
        heap[place].order = order
        heap[place].node = node
        self.nodes[node].position = place

    def place(
        self, node: cython.int, time: cython.longlong, order: cython.ulonglong
    ) -> cython.void:
        """Put a node into the heap, or move it there."""
        position: cython.int = self.nodes[node].position
        if position == NIL:
            if self.vacant:
                self.vacant = False
                self.sift_down(0, time, order, node)
            else:
                self.armed += 1
                self.sift_up(self.armed - 1, time, order, node)
        elif time < self.heap[position].time or (
            time == self.heap[position].time and order < self.heap[position].order
        ):
            self.sift_up(position, time, order, node)
        else:
            self.sift_down(position, time, order, node)

    def arm(self, node: cython.int, time: cython.longlong) -> cython.void:
        """Let a timer fire at `time` (ns), and not when it was armed for before.

        A time in the past means now.
        """
        if time < self.now:
            time = self.now
        self.order += 1
        self.place(node, time, self.order)

    def disarm(self, node: cython.int) -> cython.void:
        """Stop a timer; no harm if it was not armed."""
        position: cython.int = self.nodes[node].position
        last: cython.int
        if position == NIL:
            return
        self.nodes[node].position = NIL
        self.armed -= 1
        last = self.armed
        if position != last:
            moved: cython.int = self.heap[last].node
            time: cython.longlong = self.heap[last].time
            order: cython.ulonglong = self.heap[last].order
            self.nodes[moved].position = position
            if time < self.heap[position].time or (
                time == self.heap[position].time and order < self.heap[position].order
            ):
                self.sift_up(position, time, order, moved)
            else:
                self.sift_down(position, time, order, moved)

    def at(
        self, time: cython.longlong, handler: cython.int, what: cython.int, argument: cython.int
    ) -> cython.int:
        """Let something happen once; return its node, NIL if there is no memory."""
        node: cython.int = self.take_node()
        if node == NIL:
            self.stopped = True
            return NIL
        self.nodes[node].handler = handler
        self.nodes[node].what = what
        self.nodes[node].argument = argument
        self.nodes[node].once = 1
        if time > self.now:
            self.arm(node, time)
        else:
            self.make_ready(node)
        return node

    def make_ready(self, node: cython.int) -> cython.void:
        """Let an event happen at once: after what was armed for this moment before it."""
        self.order += 1
        self.nodes[node].order = self.order
        self.nodes[node].following = NIL
        if self.first_ready == NIL:
            self.first_ready = node
        else:
            self.nodes[self.last_ready].following = node
        self.last_ready = node

    def send(self, line: cython.int, packet: cython.int, due: cython.longlong) -> cython.void:
        """Put a packet on a delay line, to arrive at `due` (ns) but not before those on it."""
        rows: cython.pointer[Packet] = self.pool.rows
        tail: cython.int = self.lines[line].tail
        if due < self.now:
            due = self.now
        self.order += 1
        rows[packet].next = NIL
        rows[packet].order = self.order
        self.lines[line].packets += 1
        self.lines[line].tail = packet
        if tail == NIL:
            rows[packet].due = due
            self.lines[line].head = packet
            self.place(self.lines[line].node, due, self.order)
        else:
            if due < rows[tail].due:
                due = rows[tail].due
            rows[packet].due = due
            rows[tail].next = packet

    def close(self) -> cython.void:
        """Take the first entry of the heap out: nothing has taken its place."""
        last: cython.int = self.armed - 1
        self.vacant = False
        self.armed = last
        if last:
            self.sift_down(0, self.heap[last].time, self.heap[last].order, self.heap[last].node)

    def fire(self) -> cython.void:
        """Let the first event of the heap happen.

        Its entry stays, `vacant`, for what its handler arms first: most often the same timer, for
        a time so near that it stays at the root.
        """
        node: cython.int = self.heap[0].node
        what: cython.int = self.nodes[node].what
        argument: cython.int = self.nodes[node].argument
        handler: cython.int = self.nodes[node].handler
        line: cython.int = self.nodes[node].line
        self.now = self.heap[0].time
        self.fired += 1
        if line != NIL:
            argument = self.lines[line].head
            following: cython.int = self.pool.rows[argument].next
            self.lines[line].head = following
            self.lines[line].packets -= 1
            self.pool.rows[argument].next = NIL
            if following == NIL:
                self.lines[line].tail = NIL
                self.nodes[node].position = NIL
                self.vacant = True
            else:
                self.sift_down(
                    0, self.pool.rows[following].due, self.pool.rows[following].order, node
                )
        else:
            self.nodes[node].position = NIL
            self.vacant = True
            if self.nodes[node].once:
                self.nodes[node].argument = self.free_node
                self.free_node = node
        self.call(handler, what, argument)
        if self.vacant:
            self.close()

    def fire_ready(self) -> cython.void:
        """Let the first of the events that are to happen at once happen."""
        node: cython.int = self.first_ready
        argument: cython.int = self.nodes[node].argument
        self.first_ready = self.nodes[node].following
        self.fired += 1
        self.nodes[node].argument = self.free_node
        self.free_node = node
        self.call(self.nodes[node].handler, self.nodes[node].what, argument)

    def call(self, handler: cython.int, what: cython.int, argument: cython.int) -> cython.void:
        """Tell a handler what happens."""
        if cython.compiled:
            cython.cast(Handler, self.handlers[handler]).handle(what, argument, self.now)
        else:
            self.handlers[handler].handle(what, argument, self.now)

    def upcoming(self) -> cython.longlong:
        """Return when the next event is due (ns); NEVER if there is none."""
        if self.first_ready != NIL:
            return self.now
        if self.vacant:
            self.close()
        return self.heap[0].time if self.armed else NEVER

    def ready_first(self) -> cython.bint:
        """Say whether something is to happen at once, and comes before the first of the heap."""
        if self.first_ready == NIL:
            return False
        return (
            self.armed == 0
            or self.heap[0].time > self.now
            or self.heap[0].order > self.nodes[self.first_ready].order
        )

    def loop(self, until: cython.longlong) -> cython.void:
        """Let events happen up to and including `until` (ns)."""
        while not self.stopped:
            if self.ready_first():
                self.fire_ready()
            elif self.armed > 0 and self.heap[0].time <= until:
                self.fire()
            else:
                break

    def run(self, until: int) -> None:
        """Let events happen up to and including `until` (ns), then let it be `until`.

        Raises:
            BaseException: what a Python handler raised.
        """
        end: cython.longlong = until
        self.stopped = False
        with cython.nogil:
            self.loop(end)
        if self.failure is not None:
            raise self.failure
        if not self.stopped and self.now < until:
            self.now = until

    def arm_timer(self, node: int, time: int) -> None:
        """`arm`, from Python."""
        self.arm(node, time)

    def disarm_timer(self, node: int) -> None:
        """`disarm`, from Python."""
        self.disarm(node)

    def once(self, time: int, handler: Handler, what: int, argument: int = 0) -> int:
        """`at`, from Python."""
        return self.at(time, handler.address, what, argument)

    def send_packet(self, line: int, packet: int, due: int) -> None:
        """`send`, from Python."""
        self.send(line, packet, due)

    def in_flight(self, line: int) -> int:
        """Return how many packets are on a delay line."""
        return self.lines[line].packets
