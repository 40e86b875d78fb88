cimport cython
from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport *
from tcc.engine.tcp.socket cimport Congestion, Socket
from tcc.engine.tcp.reno cimport grow_exponentially, grow_linearly

@cython.final
cdef class Cubic(Congestion):
    cdef readonly bint hystart
    cdef readonly long long per
    cdef readonly long long last_greatest
    cdef long long last_window
    cdef long long last_time
    cdef long long origin
    cdef readonly long long to_origin
    cdef readonly long long least_delay
    cdef long long epoch
    cdef long long acked
    cdef long long reno_window
    cdef int samples
    cdef readonly bint found
    cdef long long round_start
    cdef long long round_end
    cdef long long last_ack
    cdef long long round_delay
    cdef void forget(self) noexcept nogil
    cdef void start_round(self, Socket tcp) noexcept nogil
    cdef void watch(self, Socket tcp, long long delay) noexcept nogil
    cdef void update(self, Socket tcp, int acked) noexcept nogil
    cdef void follow_curve(self, Socket tcp, int acked) noexcept nogil

cdef long long cube_root(long long value) noexcept nogil
