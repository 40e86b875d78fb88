"""CAKE's flows and hosts: the set-associative hash and the host table.

Source: cake_hash() and the host counters of net/sched/sch_cake.c; CAKE specification sections
4.2 and 4.3.  A flow is `flows[tin][slot]`, a host `hosts[tin][entry]`.
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
        Flows,
        Host,
        Hosts,
        TinRow,
        flow_at,
    )  # fmt: skip

    LINE = 64  # bytes of a cache line


class FlowTable:
    """The flows of every tin, and the hosts that they come from and go to.

    `sources` and `destinations` say to which side's hosts the mode is fair.
    """

    def __init__(self) -> None:
        t: cython.int
        which: cython.int
        self.sources = False
        self.destinations = False
        if not cython.compiled:
            self.flows = [[Flow() for _ in range(STRIDE)] for _ in range(TINS)]
            self.hosts = [[Host() for _ in range(SLOTS)] for _ in range(TINS)]
        else:
            # Each flow in a cache line of its own.  Of what no flow has used, calloc makes nothing.
            self.memory = calloc(TINS * cython.sizeof(Flows) + LINE, 1)
            self.hosts = cython.cast(cython.pointer[Hosts], calloc(TINS, cython.sizeof(Hosts)))
            if not self.memory or not self.hosts:
                raise MemoryError
            place: cython.size_t = cython.cast(cython.size_t, self.memory)
            place = (place + LINE - 1) // LINE * LINE
            self.flows = cython.cast(cython.pointer[Flows], place)
        for t in range(TINS):
            for which in range(NEW, DECAYED + 1):
                self.flows[t][which].next = which
                self.flows[t][which].previous = which

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.memory)
            free(self.hosts)

    def find(
        self,
        tin: TinRow,
        t: cython.int,
        hash: cython.uint,
        source: cython.uint,
        destination: cython.uint,
    ) -> cython.int:
        """Return the slot that a flow has or gets in the set-associative hash."""
        flows: cython.pointer[Flow] = self.flows[t]
        home: cython.int = hash & (SLOTS - 1)
        outer: cython.int = home & ~(WAYS - 1)
        slot: cython.int
        way: cython.int
        if flows[home].tag == hash and flows[home].state != NONE:
            return home
        for way in range(WAYS):
            slot = outer + ((home + way) & (WAYS - 1))
            if flows[slot].tag == hash:
                if way:
                    tin.way_hits += 1
                if flows[slot].state == NONE:
                    self.map_hosts(t, flow_at(flows, slot), source, destination)
                return slot
        for way in range(WAYS):
            slot = outer + ((home + way) & (WAYS - 1))
            if flows[slot].state == NONE:
                tin.way_misses += 1
                flows[slot].tag = hash
                self.map_hosts(t, flow_at(flows, slot), source, destination)
                return slot
        tin.way_collisions += 1
        if flows[home].state == BULK:
            self.leave_bulk(t, flow_at(flows, home))
        flows[home].tag = hash
        self.map_hosts(t, flow_at(flows, home), source, destination)
        return home

    def map_hosts(
        self, t: cython.int, flow: FlowRow, source: cython.uint, destination: cython.uint
    ) -> cython.void:
        """Give a slot its entries of the host table, as far as the mode is fair to hosts."""
        if self.sources:
            flow.source = self.source_entry(self.hosts[t], source)
        if self.destinations:
            flow.destination = self.destination_entry(self.hosts[t], destination)
        if flow.state == BULK:
            self.enter_bulk(t, flow)

    def source_entry(self, hosts: cython.pointer[Host], hash: cython.uint) -> cython.int:
        """Return the entry that a source host has or gets."""
        home: cython.int = hash & (SLOTS - 1)
        outer: cython.int = home & ~(WAYS - 1)
        entry: cython.int
        way: cython.int
        for way in range(WAYS):
            entry = outer + ((home + way) & (WAYS - 1))
            if hosts[entry].source_tag == hash:
                return entry
        for way in range(WAYS):
            entry = outer + ((home + way) & (WAYS - 1))
            if hosts[entry].source_bulk == 0:
                hosts[entry].source_tag = hash
                return entry
        hosts[home].source_tag = hash
        return home

    def destination_entry(self, hosts: cython.pointer[Host], hash: cython.uint) -> cython.int:
        """Return the entry that a destination host has or gets."""
        home: cython.int = hash & (SLOTS - 1)
        outer: cython.int = home & ~(WAYS - 1)
        entry: cython.int
        way: cython.int
        for way in range(WAYS):
            entry = outer + ((home + way) & (WAYS - 1))
            if hosts[entry].destination_tag == hash:
                return entry
        for way in range(WAYS):
            entry = outer + ((home + way) & (WAYS - 1))
            if hosts[entry].destination_bulk == 0:
                hosts[entry].destination_tag = hash
                return entry
        hosts[home].destination_tag = hash
        return home

    def enter_bulk(self, t: cython.int, flow: FlowRow) -> cython.void:
        """Count a flow that has become bulk at its hosts."""
        hosts: cython.pointer[Host] = self.hosts[t]
        if self.sources and hosts[flow.source].source_bulk < SLOTS:
            hosts[flow.source].source_bulk += 1
        if self.destinations and hosts[flow.destination].destination_bulk < SLOTS:
            hosts[flow.destination].destination_bulk += 1

    def leave_bulk(self, t: cython.int, flow: FlowRow) -> cython.void:
        """Count a flow that is no longer bulk at its hosts."""
        hosts: cython.pointer[Host] = self.hosts[t]
        if self.sources and hosts[flow.source].source_bulk > 0:
            hosts[flow.source].source_bulk -= 1
        if self.destinations and hosts[flow.destination].destination_bulk > 0:
            hosts[flow.destination].destination_bulk -= 1

    def flow(self, index: int, slot: int) -> dict[str, int]:
        """Return the row of a flow (see `rows.Flow`), from Python."""
        if not (0 <= index < TINS and 0 <= slot < SLOTS):
            raise IndexError(f"no slot {slot} in tin {index}")
        if cython.compiled:
            return self.flows[index][slot]
        row = self.flows[index][slot]
        return {name: getattr(row, name) for name in Flow.__slots__}

    def host(self, index: int, entry: int) -> dict[str, int]:
        """Return the row of a host (see `rows.Host`), from Python."""
        if not (0 <= index < TINS and 0 <= entry < SLOTS):
            raise IndexError(f"no entry {entry} in tin {index}")
        if cython.compiled:
            return self.hosts[index][entry]
        row = self.hosts[index][entry]
        return {name: getattr(row, name) for name in Host.__slots__}
