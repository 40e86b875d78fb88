from tcc.engine.constants cimport *
from tcc.engine.cake.rows cimport *
from tcc.engine.random cimport Random
from tcc.engine.rows cimport PacketRow

cdef unsigned int ROOTS[16]
cdef unsigned int M32
cdef unsigned int NEARLY
cdef unsigned long long M64
cdef unsigned long long THREE_32

cdef void set_root(FlowRow flow) noexcept nogil
cdef long long control(TinRow tin, FlowRow flow, long long at) noexcept nogil
cdef int judge(TinRow tin, FlowRow flow, PacketRow row, bint ingress, long long now, Random chance) noexcept nogil
cdef bint overflowed(TinRow tin, FlowRow flow, long long now) noexcept nogil
cdef bint emptied(TinRow tin, FlowRow flow, long long now) noexcept nogil
