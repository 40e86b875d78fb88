from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.packet cimport PacketPool

cdef class QueueDisc:
    cdef readonly PacketPool pool
    cdef public long long wakeup
    cdef readonly int qlen
    cdef readonly long long backlog
    cdef readonly long long received
    cdef readonly long long received_bytes
    cdef readonly long long enqueued
    cdef readonly long long enqueued_bytes
    cdef readonly long long dequeued
    cdef readonly long long dequeued_bytes
    cdef readonly long long dropped_before
    cdef readonly long long dropped_before_bytes
    cdef readonly long long dropped_after
    cdef readonly long long dropped_after_bytes
    cdef readonly long long drops
    cdef readonly long long overlimits
    cdef readonly long long requeues
    cdef readonly long long marks
    cdef long long by_reason[12]
    cdef int parked
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, long long now) noexcept nogil
    cdef int do_peek(self, long long now) noexcept nogil
    cdef void do_reset(self) noexcept nogil
    cdef void note_received(self, int packet) noexcept nogil
    cdef void note_enqueued(self, int packet) noexcept nogil
    cdef void note_dequeued(self, int packet) noexcept nogil
    cdef void drop_before(self, int packet, int reason) noexcept nogil
    cdef void drop_after(self, int packet, int reason) noexcept nogil
    cdef int peek_dequeued(self, long long now) noexcept nogil
    cdef int take_parked(self, long long now) noexcept nogil
