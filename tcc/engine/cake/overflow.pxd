cimport cython
from tcc.engine.constants cimport *
from tcc.engine.cake.rows cimport *
from tcc.engine.cake.flows cimport FlowTable

@cython.final
cdef class OverflowHeap:
    cdef FlowTable table
    cdef unsigned short *heap
    cdef bint made
    cdef bint make(self) noexcept nogil
    cdef int rebuild(self) noexcept nogil
    cdef int longest(self) noexcept nogil
    cdef void put(self, int place) noexcept nogil
    cdef unsigned int backlog(self, int place) noexcept nogil
    cdef void swap(self, int one, int other) noexcept nogil
    cdef void sift_up(self, int place) noexcept nogil
    cdef void sift_down(self, int place) noexcept nogil
