cimport cython
from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport CUT, DATA, LOCAL, PRESSED, PURE_ACK, UDP
from tcc.engine.rows cimport Packet
from tcc.engine.events cimport Schedule
from tcc.engine.measure cimport Histogram
from tcc.engine.queue_disc cimport QueueDisc
from tcc.engine.random cimport Random
from tcc.engine.sink cimport Sink
from tcc.engine.tcp.headers cimport write_headers
from tcc.engine.tcp.options cimport OptionPool
from cpython.ref cimport PyObject

cdef enum:
    WAKE = 1
    SENT = 2
    ARRIVED = 3

@cython.final
cdef class Switch(Sink):
    cdef PyObject **ends
    cdef readonly int size
    cdef readonly list kept

@cython.final
cdef class Wire(Sink):
    cdef readonly Sink following
    cdef readonly Random random
    cdef readonly OptionPool options
    cdef int *lines
    cdef long long *delays
    cdef readonly int size
    cdef readonly long long loss
    cdef readonly long long jitter
    cdef readonly long long every
    cdef readonly long long lost
    cdef readonly long long carried
    cdef readonly dict by_delay
    cdef void lose(self, int packet) noexcept nogil

cdef class Interface(Sink):
    cdef public bint due_first
    cdef readonly QueueDisc qdisc
    cdef readonly Sink following
    cdef readonly OptionPool options
    cdef readonly long long rate
    cdef readonly int framing
    cdef readonly unsigned int veil
    cdef readonly bint veil_source
    cdef readonly bint veil_destination
    cdef readonly bint reads_headers
    cdef int sending
    cdef int timer
    cdef int sent_timer
    cdef readonly long long sent
    cdef readonly long long sent_bytes
    cdef readonly long long framed_bytes
    cdef bint inside
    cdef long long *drops
    cdef int *groups
    cdef PyObject **histograms
    cdef readonly int size
    cdef readonly list sojourns
    cdef void take(self, int packet, long long now) noexcept nogil
    cdef inline void press(self, int packet, int verdict, long long now) noexcept nogil
    cdef inline void tell(self, int packet, int what, int argument, long long now) noexcept nogil
    cdef inline void drain(self, long long now) noexcept nogil
    cdef inline void run(self, long long now) noexcept nogil
    cdef inline void leave(self, int packet, long long now) noexcept nogil
    cdef inline void deliver(self, int packet, long long now) noexcept nogil
    cdef void handle(self, int what, int argument, long long now) noexcept nogil
