cimport cython
from tcc.engine.constants cimport *
from tcc.engine.packet cimport PacketPool, RAW_BYTES
from tcc.engine.rows cimport Packet
from tcc.engine.cake.rows cimport Segment

cdef unsigned int M32
cdef unsigned int SIGN
cdef enum:
    FIN = 0x001
    SYN = 0x002
    RST = 0x004
    PSH = 0x008
    ACK = 0x010
    URG = 0x020
    ECE = 0x040
    CWR = 0x080
    ECN_FLAGS = 0x0C0
    RESERVED = 0xF00
    TRIGGER = 0
    QUEUED = 1
    EOL = 0
    NOP = 1
    SACK = 5
    TIMESTAMP = 8
    MD5 = 19

@cython.final
cdef class AckFilter:
    cdef PacketPool pool
    cdef Segment segments[2]
    cdef readonly int before
    cdef int find(self, int head, int trigger, bint aggressive) noexcept nogil
    cdef bint parse(self, int packet, int which) noexcept nogil
    cdef unsigned int word(self, int place) noexcept nogil
    cdef bint same_connection(self) noexcept nogil
    cdef bint droppable(self, unsigned int tsval, unsigned int tsecr) noexcept nogil
    cdef bint harmless_options(self, unsigned int tsval, unsigned int tsecr) noexcept nogil
    cdef int option(self, int which, int kind) noexcept nogil
    cdef int compare_sacks(self) noexcept nogil
