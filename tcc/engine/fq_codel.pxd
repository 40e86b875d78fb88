from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.tcp.constants cimport LOCAL
from tcc.engine.fair_rows cimport CodelFlow
from tcc.engine.queue_disc cimport QueueDisc

ctypedef CodelFlow *CodelFlowRow

cdef unsigned long long M32
cdef unsigned long long M64
cdef unsigned long long THREE
cdef unsigned long long HALF
cdef int SHIFT
cdef int MOST_DROPS

cdef class FqCodel(QueueDisc):
    cdef readonly int flows
    cdef readonly long long limit
    cdef readonly long long memory_limit
    cdef readonly int quantum
    cdef readonly int drop_batch
    cdef readonly bint ecn
    cdef readonly int mtu
    cdef long long target
    cdef long long interval
    cdef long long ce_threshold
    cdef readonly long long memory
    cdef readonly long long new_flows
    cdef readonly long long ce_marks
    cdef readonly long long longest
    cdef readonly long long overlimit_drops
    cdef readonly long long overmemory_drops
    cdef readonly unsigned int handle
    cdef readonly int ce_mask
    cdef readonly int ce_selector
    cdef CodelFlow *queues
    cdef int new_head
    cdef int new_tail
    cdef int old_head
    cdef int old_tail
    cdef long long sojourn
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, long long now) noexcept nogil
    cdef int do_peek(self, long long now) noexcept nogil
    cdef void do_reset(self) noexcept nogil
    cdef CodelFlowRow at(self, int f) noexcept nogil
    cdef int take(self, CodelFlowRow flow) noexcept nogil
    cdef int drop_fattest(self) noexcept nogil
    cdef bint should_drop(self, CodelFlowRow flow, int packet, long long tick) noexcept nogil
    cdef bint mark(self, int packet) noexcept nogil
    cdef void step(self, CodelFlowRow flow) noexcept nogil
    cdef long long law(self, long long tick, CodelFlowRow flow) noexcept nogil
    cdef int codel(self, CodelFlowRow flow, long long tick) noexcept nogil
    cdef int drop_until(self, CodelFlowRow flow, int packet, long long tick) noexcept nogil
    cdef void leave(self, bint fresh) noexcept nogil
    cdef void append_old(self, int f) noexcept nogil
    cdef int flow_of(self, int packet) noexcept nogil
    cdef unsigned int memory_of(self, int packet) noexcept nogil
    cdef void undo_dequeue(self, int packet) noexcept nogil
