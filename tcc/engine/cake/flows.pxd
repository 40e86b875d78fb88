cimport cython
from tcc.engine.constants cimport *
from tcc.engine.cake.rows cimport *

cdef enum:
    LINE = 64

@cython.final
cdef class FlowTable:
    cdef void *memory
    cdef Flows *flows
    cdef Hosts *hosts
    cdef bint sources
    cdef bint destinations
    cdef int find(self, TinRow tin, int t, unsigned int hash, unsigned int source, unsigned int destination) noexcept nogil
    cdef void map_hosts(self, int t, FlowRow flow, unsigned int source, unsigned int destination) noexcept nogil
    cdef int source_entry(self, Host *hosts, unsigned int hash) noexcept nogil
    cdef int destination_entry(self, Host *hosts, unsigned int hash) noexcept nogil
    cdef void enter_bulk(self, int t, FlowRow flow) noexcept nogil
    cdef void leave_bulk(self, int t, FlowRow flow) noexcept nogil
