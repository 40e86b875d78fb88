from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.cake.qdisc cimport Cake
from tcc.engine.cake.rows cimport NEW, OLD, Flow
from tcc.engine.events cimport Schedule
from tcc.engine.queue_disc cimport QueueDisc

cdef class Tap(QueueDisc):
    cdef readonly QueueDisc inner
    cdef readonly Schedule schedule
    cdef readonly object watcher
    cdef readonly bint is_cake
    cdef readonly tuple children
    cdef readonly int ack_filter
    cdef void follow(self, long long now) noexcept nogil
    cdef void tell_dropped(self, int packet, long long now) noexcept nogil
    cdef void tell_crossed(self, int packet, long long now) noexcept nogil
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, long long now) noexcept nogil
    cdef int do_peek(self, long long now) noexcept nogil
    cdef void do_reset(self) noexcept nogil
