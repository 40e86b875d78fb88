cimport cython

cdef unsigned long long M64

@cython.final
cdef class RateEstimator:
    cdef readonly unsigned long long peak_rate
    cdef unsigned long long window_bytes
    cdef unsigned long long average_gap
    cdef long long window_begin
    cdef long long last_packet
    cdef long long last_change
    cdef bint note(self, long long bytes, long long now) noexcept nogil
