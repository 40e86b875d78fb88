cimport cython
cdef unsigned long long GOLDEN
cdef unsigned long long MIX1
cdef unsigned long long MIX2
cdef unsigned long long MASK64

@cython.final
cdef class Random:
    cdef unsigned long long state
    cdef readonly bint constant
    cdef readonly unsigned int fixed16
    cdef readonly unsigned int fixed32
    cdef readonly unsigned long long fixed64
    cdef unsigned int u16(self) noexcept nogil
    cdef unsigned int u32(self) noexcept nogil
    cdef unsigned long long u64(self) noexcept nogil
    cdef unsigned int below(self, unsigned int bound) noexcept nogil
