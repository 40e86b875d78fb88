"""CAKE's flows and hosts: the set-associative hash and the host table.

Source: cake_hash() and the host counters of net/sched/sch_cake.c; CAKE specification sections
4.2 and 4.3.  A flow is a row of `flows`: tin * STRIDE + slot.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
else:
    from tcc.engine.cake.rows import (
        BULK,
        DECAYED,
        NEW,
        NONE,
        SLOTS,
        STRIDE,
        TINS,
        WAYS,
        Flow,
        FlowRow,
        Host,
        TinRow,
    )  # fmt: skip


class FlowTable:
    """The flows of every tin, and the hosts that they come from and go to.

    `sources` and `destinations` say to which side's hosts the mode is fair.
    """

    def __init__(self) -> None:
        tin: cython.int
        which: cython.int
        self.sources = False
        self.destinations = False
        if not cython.compiled:
            self.flows = [Flow() for _ in range(TINS * STRIDE)]
            self.hosts = [Host() for _ in range(TINS * SLOTS)]
        else:
            self.flows = cython.cast(
                cython.pointer[Flow], calloc(TINS * STRIDE, cython.sizeof(Flow))
            )
            self.hosts = cython.cast(
                cython.pointer[Host], calloc(TINS * SLOTS, cython.sizeof(Host))
            )
            if not self.flows or not self.hosts:
                raise MemoryError
        for tin in range(TINS):
            for which in range(NEW, DECAYED + 1):
                self.flows[tin * STRIDE + which].next = which
                self.flows[tin * STRIDE + which].previous = which

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.flows)
            free(self.hosts)

    def at(self, f: cython.int) -> FlowRow:
        """Return a flow's row."""
        if cython.compiled:
            return cython.address(self.flows[f])
        return self.flows[f]

    def find(
        self,
        tin: TinRow,
        t: cython.int,
        hash: cython.uint,
        source: cython.uint,
        destination: cython.uint,
    ) -> cython.int:
        """Return the slot that a flow has or gets in the set-associative hash."""
        base: cython.int = t * STRIDE
        home: cython.int = hash & (SLOTS - 1)
        outer: cython.int = home & ~(WAYS - 1)
        slot: cython.int
        way: cython.int
        if self.flows[base + home].tag == hash and self.flows[base + home].state != NONE:
            return home
        for way in range(WAYS):
            slot = outer + ((home + way) & (WAYS - 1))
            if self.flows[base + slot].tag == hash:
                if way:
                    tin.way_hits += 1
                if self.flows[base + slot].state == NONE:
                    self.map_hosts(t, self.at(base + slot), source, destination)
                return slot
        for way in range(WAYS):
            slot = outer + ((home + way) & (WAYS - 1))
            if self.flows[base + slot].state == NONE:
                tin.way_misses += 1
                self.flows[base + slot].tag = hash
                self.map_hosts(t, self.at(base + slot), source, destination)
                return slot
        tin.way_collisions += 1
        if self.flows[base + home].state == BULK:
            self.leave_bulk(t, self.at(base + home))
        self.flows[base + home].tag = hash
        self.map_hosts(t, self.at(base + home), source, destination)
        return home

    def map_hosts(
        self, t: cython.int, flow: FlowRow, source: cython.uint, destination: cython.uint
    ) -> cython.void:
        """Give a slot its entries of the host table, as far as the mode is fair to hosts."""
        if self.sources:
            flow.source = self.source_entry(t * SLOTS, source)
        if self.destinations:
            flow.destination = self.destination_entry(t * SLOTS, destination)
        if flow.state == BULK:
            self.enter_bulk(t, flow)

    def source_entry(self, base: cython.int, hash: cython.uint) -> cython.int:
        """Return the entry that a source host has or gets."""
        home: cython.int = hash & (SLOTS - 1)
        outer: cython.int = home & ~(WAYS - 1)
        entry: cython.int
        way: cython.int
        for way in range(WAYS):
            entry = outer + ((home + way) & (WAYS - 1))
            if self.hosts[base + entry].source_tag == hash:
                return entry
        for way in range(WAYS):
            entry = outer + ((home + way) & (WAYS - 1))
            if self.hosts[base + entry].source_bulk == 0:
                self.hosts[base + entry].source_tag = hash
                return entry
        self.hosts[base + home].source_tag = hash
        return home

    def destination_entry(self, base: cython.int, hash: cython.uint) -> cython.int:
        """Return the entry that a destination host has or gets."""
        home: cython.int = hash & (SLOTS - 1)
        outer: cython.int = home & ~(WAYS - 1)
        entry: cython.int
        way: cython.int
        for way in range(WAYS):
            entry = outer + ((home + way) & (WAYS - 1))
            if self.hosts[base + entry].destination_tag == hash:
                return entry
        for way in range(WAYS):
            entry = outer + ((home + way) & (WAYS - 1))
            if self.hosts[base + entry].destination_bulk == 0:
                self.hosts[base + entry].destination_tag = hash
                return entry
        self.hosts[base + home].destination_tag = hash
        return home

    def enter_bulk(self, t: cython.int, flow: FlowRow) -> cython.void:
        """Count a flow that has become bulk at its hosts."""
        entry: cython.int
        if self.sources:
            entry = t * SLOTS + flow.source
            if self.hosts[entry].source_bulk < SLOTS:
                self.hosts[entry].source_bulk += 1
        if self.destinations:
            entry = t * SLOTS + flow.destination
            if self.hosts[entry].destination_bulk < SLOTS:
                self.hosts[entry].destination_bulk += 1

    def leave_bulk(self, t: cython.int, flow: FlowRow) -> cython.void:
        """Count a flow that is no longer bulk at its hosts."""
        entry: cython.int
        if self.sources:
            entry = t * SLOTS + flow.source
            if self.hosts[entry].source_bulk > 0:
                self.hosts[entry].source_bulk -= 1
        if self.destinations:
            entry = t * SLOTS + flow.destination
            if self.hosts[entry].destination_bulk > 0:
                self.hosts[entry].destination_bulk -= 1

    def flow(self, index: int, slot: int) -> dict[str, int]:
        """Return the row of a flow (see `rows.Flow`), from Python."""
        if not (0 <= index < TINS and 0 <= slot < SLOTS):
            raise IndexError(f"no slot {slot} in tin {index}")
        if cython.compiled:
            return self.flows[index * STRIDE + slot]
        row = self.flows[index * STRIDE + slot]
        return {name: getattr(row, name) for name in Flow.__slots__}

    def host(self, index: int, entry: int) -> dict[str, int]:
        """Return the row of a host (see `rows.Host`), from Python."""
        if not (0 <= index < TINS and 0 <= entry < SLOTS):
            raise IndexError(f"no entry {entry} in tin {index}")
        if cython.compiled:
            return self.hosts[index * SLOTS + entry]
        row = self.hosts[index * SLOTS + entry]
        return {name: getattr(row, name) for name in Host.__slots__}
