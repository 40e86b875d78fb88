cimport cython
from tcc.engine.constants cimport *
from tcc.engine.tcp.rows cimport Blocks

@cython.final
cdef class OptionPool:
    cdef Blocks *rows
    cdef readonly int size
    cdef readonly int used
    cdef int free_row
    cdef int grow(self, int size) noexcept nogil
    cdef int take(self) noexcept nogil
    cdef void give(self, int row) noexcept nogil
