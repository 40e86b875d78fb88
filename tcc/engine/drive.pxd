cimport cython
from tcc.engine.constants cimport *
from tcc.engine.packet cimport PacketPool
from tcc.engine.queue_disc cimport QueueDisc
from tcc.engine.events cimport Handler, Schedule
from tcc.engine.rows cimport Packet, PacketRow

cdef unsigned int M32
cdef unsigned int STEP
cdef unsigned int HOST_STEP
cdef unsigned int MULTIPLIER

@cython.final
cdef class Load:
    cdef readonly QueueDisc qdisc
    cdef PacketPool pool
    cdef unsigned int *hashes
    cdef unsigned int *hosts
    cdef unsigned char *classes
    cdef readonly int flows
    cdef readonly unsigned int length
    cdef unsigned int state
    cdef readonly long long now
    cdef readonly long long sent
    cdef readonly long long delivered
    cdef readonly long long lost
    cdef void offer(self) noexcept nogil
    cdef void step(self, long long gap) noexcept nogil
    cdef void loop(self, long long steps, long long gap) noexcept nogil

cdef class Relay(Handler):
    cdef Schedule schedule
    cdef int line
    cdef int timer
    cdef long long delay
    cdef readonly long long passed
    cdef void handle(self, int what, int argument, long long now) noexcept nogil
