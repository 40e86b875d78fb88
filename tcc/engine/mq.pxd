from cpython.ref cimport PyObject
from tcc.engine.constants cimport *
from tcc.engine.packet cimport PacketPool
from tcc.engine.queue_disc cimport QueueDisc

cdef class Mq:
    cdef readonly PacketPool pool
    cdef readonly list children
    cdef readonly int queues
    cdef PyObject **each
    cdef int queue_of(self, int packet) noexcept nogil
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, int queue, long long now) noexcept nogil
    cdef long long next_wakeup(self, int queue) noexcept nogil
