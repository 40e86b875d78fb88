from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport JIFFY, PRESSED, UDP
from tcc.engine.rows cimport Packet
from tcc.engine.measure cimport Histogram
from tcc.engine.sink cimport Endpoint, Sink

cdef enum:
    SEND = 1
    RELAX = 2

cdef class UdpSender(Endpoint):
    cdef readonly long long rate
    cdef readonly int payload
    cdef readonly int truesize
    cdef readonly long long buffer
    cdef readonly long long withheld
    cdef readonly long long memory
    cdef readonly long long pressure
    cdef readonly long long begin
    cdef readonly long long end
    cdef readonly long long sent
    cdef readonly long long refusals
    cdef readonly bint blocked
    cdef readonly long long gap
    cdef readonly long long gap_rest
    cdef long long rest
    cdef long long due
    cdef int timer
    cdef int relax_timer
    cdef readonly long long cost
    cdef readonly long long latency
    cdef readonly bint blocking
    cdef readonly bint recverr
    cdef readonly long long again
    cdef readonly long long no_buffers
    cdef void handle(self, int what, int argument, long long now) noexcept nogil
    cdef void send(self, long long now) noexcept nogil
    cdef void follow(self, long long now) noexcept nogil
    cdef void press(self, long long now) noexcept nogil
    cdef void release(self, int packet, long long now) noexcept nogil
    cdef void refused(self, int packet, long long now) noexcept nogil
    cdef void departed(self, int packet, long long now) noexcept nogil
    cdef bint full(self) noexcept nogil

cdef class UdpReceiver(Endpoint):
    cdef readonly long long measure_from
    cdef readonly long long bytes
    cdef readonly long long arrived
    cdef readonly long long first
    cdef readonly long long highest
    cdef readonly long long jitter
    cdef long long last_delay
    cdef readonly Histogram delay
    cdef void take(self, int packet, long long now) noexcept nogil
