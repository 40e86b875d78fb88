from tcc.engine.cake.qdisc cimport Cake
from tcc.engine.cake.rows cimport *

cdef class OneRound:
    cdef readonly Cake cake
    cdef void join(self) noexcept nogil
