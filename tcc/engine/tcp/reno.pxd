from tcc.engine.tcp.socket cimport Congestion, Socket

cdef class Reno(Congestion):
    cdef long long threshold(self, Socket tcp) noexcept nogil
    cdef void grow(self, Socket tcp, int acked) noexcept nogil

cdef int grow_exponentially(Socket tcp, int acked) noexcept nogil
cdef void grow_linearly(Socket tcp, long long per, int acked) noexcept nogil
