from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport JIFFY, PING, PONG
from tcc.engine.rows cimport Packet
from tcc.engine.measure cimport Histogram
from tcc.engine.sink cimport Endpoint, Sink

cdef class Probe(Endpoint):
    cdef readonly long long interval
    cdef readonly int payload
    cdef readonly long long begin
    cdef readonly long long end
    cdef readonly long long measure_from
    cdef readonly long long sent
    cdef readonly long long answered
    cdef readonly long long echoed
    cdef readonly Histogram round_trip
    cdef readonly Histogram up
    cdef readonly Histogram down
    cdef readonly long long jitter_up
    cdef readonly long long jitter_down
    cdef long long last_up
    cdef long long last_down
    cdef long long next_number
    cdef readonly long long kept_count
    cdef long long *kept
    cdef readonly long long room
    cdef int timer
    cdef void handle(self, int what, int argument, long long now) noexcept nogil
    cdef void take(self, int packet, long long now) noexcept nogil

cdef class Echo(Endpoint):
    cdef void take(self, int packet, long long now) noexcept nogil
