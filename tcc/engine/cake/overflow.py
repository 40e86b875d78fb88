# cython: cdivision=True
"""CAKE's overflow heap: which flow loses a packet when the memory limit is passed.

Source: the heapify functions and cake_drop() of net/sched/sch_cake.c; CAKE specification section
5.6.  The heap is of every slot of every tin, by bytes queued.  The qdisc rebuilds it when it is
needed, and keeps it up to date for the next LIVE deliveries.

Its sift-down is the kernel's, which is defective: see there.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
else:
    from tcc.engine.cake.rows import HEAP, SLOTS, TINS
    from tcc.engine.constants import NIL

from tcc.engine.cake.flows import FlowTable


class OverflowHeap:
    """The heap; it takes no memory before it is needed.

    Args:
        table: whose flows are in it.
    """

    def __init__(self, table: FlowTable) -> None:
        self.table = table
        self.made = False

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.heap)

    def make(self) -> cython.bint:
        """Put every flow in; say whether there was memory."""
        number: cython.int
        if not cython.compiled:
            self.heap = [0] * HEAP
        else:
            self.heap = cython.cast(
                cython.pointer[cython.ushort], calloc(HEAP, cython.sizeof(cython.ushort))
            )
            if not self.heap:
                return False
        for number in range(HEAP):
            self.heap[number] = (number % TINS) * SLOTS + number // TINS
            self.put(number)
        self.made = True
        return True

    def rebuild(self) -> cython.int:
        """Put the heap in order and return what is `longest`, NIL if there is no memory."""
        number: cython.int
        if not self.made and not self.make():
            return NIL
        for number in range(HEAP // 2 - 1, -1, -1):
            self.sift_down(number)
        return self.longest()

    def longest(self) -> cython.int:
        """Return what the heap takes for the longest flow: tin * SLOTS + slot."""
        return self.heap[0]

    def backlog(self, place: cython.int) -> cython.uint:
        """Return the bytes queued in the flow at a place of the heap."""
        return self.table.flows[self.heap[place] // SLOTS][self.heap[place] % SLOTS].backlog

    def put(self, place: cython.int) -> cython.void:
        """Tell the flow at a place of the heap where it is."""
        self.table.flows[self.heap[place] // SLOTS][self.heap[place] % SLOTS].place = place

    def swap(self, one: cython.int, other: cython.int) -> cython.void:
        """Exchange two entries."""
        kept: cython.ushort = self.heap[one]
        self.heap[one] = self.heap[other]
        self.heap[other] = kept
        self.put(one)
        self.put(other)

    def sift_up(self, place: cython.int) -> cython.void:
        """Move an entry up while its flow is longer than the one above."""
        above: cython.int
        while place > 0:
            above = (place - 1) >> 1
            if self.backlog(place) <= self.backlog(above):
                break
            self.swap(place, above)
            place = above

    def sift_down(self, place: cython.int) -> cython.void:
        """Move an entry down, most often one level only.

        The defect: it goes on comparing with the backlog of the child it has changed places
        with, not with that of the entry it moves.
        """
        most: cython.uint = self.backlog(place)
        child: cython.int
        largest: cython.int
        while True:
            largest = place
            for child in range(2 * place + 1, min(2 * place + 3, HEAP)):
                if self.backlog(child) > most:
                    largest = child
                    most = self.backlog(child)
            if largest == place:
                break
            self.swap(place, largest)
            place = largest
