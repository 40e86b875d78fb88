cimport cython
@cython.final
cdef class Histogram:
    cdef long long *counts
    cdef readonly int size
    cdef readonly long long samples
    cdef readonly long long total
    cdef readonly long long least
    cdef readonly long long greatest
    cdef void add(self, long long value) noexcept nogil

cdef enum:
    BUCKETS = 7168

cdef extern from *:
    int leading_zeros "__builtin_clzll" (unsigned long long value) noexcept nogil

cdef inline int bit_length(unsigned long long value) noexcept nogil:
    return 64 - leading_zeros(value)
