from tcc.engine.constants cimport *
from tcc.engine.cake.rows cimport *
from tcc.engine.random cimport Random
from tcc.engine.rows cimport PacketRow

cdef extern from *:
    """
    #define TCC_COBALT_M32 0xFFFFFFFFu
    #define TCC_COBALT_NEARLY 0xFEFFFFFFu
    #define TCC_COBALT_M64 0xFFFFFFFFFFFFFFFFull
    #define TCC_COBALT_THREE_32 (3ull << 32)
    """
    const unsigned int M32 "TCC_COBALT_M32"
    const unsigned int NEARLY "TCC_COBALT_NEARLY"
    const unsigned long long M64 "TCC_COBALT_M64"
    const unsigned long long THREE_32 "TCC_COBALT_THREE_32"

cdef unsigned int ROOTS[16]

cdef void set_root(FlowRow flow) noexcept nogil
cdef long long control(TinRow tin, FlowRow flow, long long at) noexcept nogil
cdef int judge(TinRow tin, FlowRow flow, PacketRow row, bint ingress, long long now, Random chance) noexcept nogil
cdef bint overflowed(TinRow tin, FlowRow flow, long long now) noexcept nogil
cdef bint emptied(TinRow tin, FlowRow flow, long long now) noexcept nogil
