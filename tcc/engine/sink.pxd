from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.tcp.constants cimport HEAD, LOCAL
from tcc.engine.events cimport Handler, Schedule
from tcc.engine.packet cimport PacketPool

cdef class Sink(Handler):
    cdef readonly Schedule schedule
    cdef readonly PacketPool pool
    cdef void take(self, int packet, long long now) noexcept nogil
    cdef void refused(self, int packet, long long now) noexcept nogil
    cdef void departed(self, int packet, long long now) noexcept nogil

cdef class Endpoint(Sink):
    cdef readonly Sink port
    cdef readonly int flow
    cdef readonly unsigned int flow_hash
    cdef readonly unsigned int source_hash
    cdef readonly unsigned int destination_hash
    cdef readonly unsigned char tos
    cdef readonly unsigned int priority
    cdef readonly bint headers
    cdef readonly bint local
    cdef int make(self, int kind, int header, int payload, int segments, int segment) noexcept nogil
