from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport DATA, HEADER, SEGMENT
from tcc.engine.rows cimport Packet
from tcc.engine.random cimport Random
from tcc.engine.sink cimport Endpoint

cdef enum:
    START = 31

cdef class BulkSender(Endpoint):
    cdef readonly int least
    cdef readonly int most
    cdef Random chance
    cdef int timer
    cdef long long queued
    cdef readonly long long sent
    cdef readonly int segments
    cdef int size(self) noexcept nogil
    cdef void fill(self, long long now) noexcept nogil
    cdef void handle(self, int what, int argument, long long now) noexcept nogil
    cdef void departed(self, int packet, long long now) noexcept nogil
    cdef void refused(self, int packet, long long now) noexcept nogil
