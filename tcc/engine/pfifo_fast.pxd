from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.queue_disc cimport QueueDisc

cdef class PfifoFast(QueueDisc):
    cdef readonly int limit
    cdef int heads[3]
    cdef int tails[3]
    cdef int held[3]
    cdef readonly int batch
    cdef int places[3]
    cdef int stale[3]
    cdef int bands[16]
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, long long now) noexcept nogil
    cdef int do_peek(self, long long now) noexcept nogil
    cdef void do_reset(self) noexcept nogil
    cdef int band_with_packets(self) noexcept nogil
    cdef int unlink(self, int band) noexcept nogil
