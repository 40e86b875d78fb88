cimport cython
from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet

cdef enum:
    RAW_BYTES = 256

@cython.final
cdef class PacketPool:
    cdef Packet *rows
    cdef unsigned char *bytes
    cdef int *raw_lengths
    cdef readonly int size
    cdef readonly int used
    cdef int free_row
    cdef readonly int raw_size
    cdef readonly int raw_used
    cdef int free_raw
    cdef int drop_head
    cdef int drop_tail
    cdef readonly int drops_waiting
    cdef int take(self) noexcept nogil
    cdef inline void give(self, int packet) noexcept nogil:
        cdef int raw = self.rows[packet].raw
        if raw != NIL:
            self.raw_lengths[raw] = self.free_raw
            self.free_raw = raw
            self.raw_used -= 1
        self.rows[packet].next = self.free_row
        self.free_row = packet
        self.used -= 1
    cdef int copy(self, int packet) noexcept nogil
    cdef void dropped(self, int packet, int reason) noexcept nogil
    cdef int next_dropped(self) noexcept nogil
    cdef int grow(self, int size) noexcept nogil
    cdef int take_raw(self) noexcept nogil
    cdef int grow_raw(self, int size) noexcept nogil
