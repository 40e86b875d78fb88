from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.packet cimport PacketPool
from tcc.engine.queue_disc cimport QueueDisc

cdef class Pace:
    cdef readonly unsigned long long rate
    cdef unsigned int factor
    cdef int shift
    cdef int overhead
    cdef int mpu
    cdef bint atm
    cdef unsigned long long framed(self, unsigned int length) noexcept nogil
    cdef unsigned long long time_of(self, unsigned int length) noexcept nogil

cdef class TokenBucket(QueueDisc):
    cdef readonly QueueDisc inner
    cdef Pace pace
    cdef Pace peak
    cdef bint has_peak
    cdef readonly long long depth
    cdef readonly long long peak_depth
    cdef readonly long long max_size
    cdef long long tokens
    cdef long long peak_tokens
    cdef long long last
    cdef long long inner_lost
    cdef long long inner_lost_bytes
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, long long now) noexcept nogil
    cdef int do_peek(self, long long now) noexcept nogil
    cdef void do_reset(self) noexcept nogil
    cdef int pass_in(self, int packet, long long now) noexcept nogil
    cdef int segment(self, int packet, long long now) noexcept nogil
    cdef void follow_inner(self) noexcept nogil
