cimport cython

cdef extern from *:
    """
    #define TCC_RANDOM_GOLDEN 0x9E3779B97F4A7C15ull
    #define TCC_RANDOM_MIX1 0xBF58476D1CE4E5B9ull
    #define TCC_RANDOM_MIX2 0x94D049BB133111EBull
    #define TCC_RANDOM_MASK64 0xFFFFFFFFFFFFFFFFull
    """
    const unsigned long long GOLDEN "TCC_RANDOM_GOLDEN"
    const unsigned long long MIX1 "TCC_RANDOM_MIX1"
    const unsigned long long MIX2 "TCC_RANDOM_MIX2"
    const unsigned long long MASK64 "TCC_RANDOM_MASK64"

@cython.final
cdef class Random:
    cdef unsigned long long state
    cdef readonly bint constant
    cdef readonly unsigned int fixed16
    cdef readonly unsigned int fixed32
    cdef readonly unsigned long long fixed64
    cdef unsigned int u32(self) noexcept nogil
    cdef unsigned long long u64(self) noexcept nogil
    cdef unsigned int below(self, unsigned int bound) noexcept nogil

cdef inline unsigned long long advance(Random source) noexcept nogil:
    cdef unsigned long long z
    source.state += GOLDEN
    z = source.state
    z = (z ^ (z >> 30)) * MIX1
    z = (z ^ (z >> 27)) * MIX2
    return z ^ (z >> 31)

cdef inline unsigned int draw_u16(Random source) noexcept nogil:
    return source.fixed16 if source.constant else advance(source) >> 48
