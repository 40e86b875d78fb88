cimport cython
cdef enum:
    BUCKETS = 7168

cdef extern from *:
    int leading_zeros "__builtin_clzll" (unsigned long long value) noexcept nogil

cdef inline int bit_length(unsigned long long value) noexcept nogil:
    return 64 - leading_zeros(value)

@cython.final
cdef class Histogram:
    cdef long long *counts
    cdef readonly int size
    cdef readonly long long samples
    cdef readonly long long total
    cdef readonly long long least
    cdef readonly long long greatest
    cdef inline void add(self, long long value) noexcept nogil:
        cdef int shift
        cdef long long place
        if value < 0:
            value = 0
        shift = bit_length(value | 255) - 8
        place = shift * 128 + (value >> shift)
        if place >= self.size:
            place = self.size - 1
        self.counts[place] += 1
        self.samples += 1
        self.total += value
        if self.least < 0 or value < self.least:
            self.least = value
        if value > self.greatest:
            self.greatest = value
