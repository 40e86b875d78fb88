from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.queue_disc cimport QueueDisc

cdef class Fifo(QueueDisc):
    cdef readonly long long limit
    cdef readonly bint in_bytes
    cdef readonly bint head_drop
    cdef int head
    cdef int tail
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, long long now) noexcept nogil
    cdef int do_peek(self, long long now) noexcept nogil
    cdef void do_reset(self) noexcept nogil
    cdef int unlink(self) noexcept nogil
