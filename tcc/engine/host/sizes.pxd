from tcc.engine.tcp.constants cimport SEGMENT
from tcc.engine.random cimport Random
from tcc.engine.sink cimport Sink
from tcc.engine.tcp.socket cimport Socket

cdef class Sizes(Sink):
    cdef readonly Socket tcp
    cdef readonly Sink following
    cdef readonly Random chance
    cdef readonly int least
    cdef readonly int most
    cdef void take(self, int packet, long long now) noexcept nogil
