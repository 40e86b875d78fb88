from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.fair_rows cimport Slot
from tcc.engine.random cimport Random
from tcc.engine.queue_disc cimport QueueDisc

cdef unsigned long long M32

cdef class Sfq(QueueDisc):
    cdef readonly int limit
    cdef readonly int depth
    cdef readonly int flows
    cdef readonly int divisor
    cdef readonly int quantum
    cdef readonly bint head_drop
    cdef readonly long long perturb
    cdef readonly unsigned int handle
    cdef Random random
    cdef unsigned int key
    cdef long long next_key
    cdef Slot *slots
    cdef int *table
    cdef int *most
    cdef int deepest
    cdef int last
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, long long now) noexcept nogil
    cdef int do_peek(self, long long now) noexcept nogil
    cdef void do_reset(self) noexcept nogil
    cdef int bucket_of(self, int packet) noexcept nogil
    cdef void link(self, int x) noexcept nogil
    cdef void unlink(self, int x) noexcept nogil
    cdef void append(self, int x, int packet) noexcept nogil
    cdef int take_head(self, int x) noexcept nogil
    cdef int take_tail(self, int x) noexcept nogil
    cdef int drop_one(self) noexcept nogil
    cdef void join_round(self, int x) noexcept nogil
    cdef void leave_table(self, int x) noexcept nogil
    cdef void rekey(self, long long now) noexcept nogil
    cdef int hash_of(self, int packet) noexcept nogil
    cdef void replace_head(self, int x, int packet) noexcept nogil
