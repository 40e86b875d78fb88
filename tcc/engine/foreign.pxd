from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.queue_disc cimport QueueDisc

cdef class ForeignQueueDisc(QueueDisc):
    cdef readonly object model
    cdef readonly object failure
    cdef object seen
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, long long now) noexcept nogil
    cdef int do_peek(self, long long now) noexcept nogil
    cdef void do_reset(self) noexcept nogil
