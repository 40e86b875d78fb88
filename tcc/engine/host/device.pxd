from cpython.ref cimport PyObject
from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport LOCAL, PURE_ACK
from tcc.engine.rows cimport Packet
from tcc.engine.cake.qdisc cimport Cake
from tcc.engine.host.dql cimport DynamicLimit
from tcc.engine.host.rows cimport TxQueue, TxQueueRow
from tcc.engine.measure cimport Histogram
from tcc.engine.path cimport Interface
from tcc.engine.queue_disc cimport QueueDisc
from tcc.engine.sink cimport Sink

cdef enum:
    WATCHDOG = 11
    PROCESSOR = 12
    FRAME = 13
    INTERRUPT = 14
    REFILL = 15
    SUPER_DESCRIPTORS = 18
    WARM_INTERVALS = 5
    LONG_AGO = -1000000000

cdef class Device(Interface):
    cdef TxQueue *table
    cdef PyObject **qdiscs
    cdef PyObject **cakes
    cdef PyObject **limits
    cdef readonly list children
    cdef readonly list scanning
    cdef readonly list byte_limits
    cdef readonly int count
    cdef readonly bint shared
    cdef readonly bint synchronises
    cdef int *places
    cdef readonly int placed
    cdef readonly long long wire
    cdef readonly long long interval
    cdef readonly long long refill
    cdef readonly int descriptors
    cdef int frame_timer
    cdef int interrupt_timer
    cdef int refill_line
    cdef int on_wire
    cdef int last_ring
    cdef long long frame
    cdef long long next_interrupt
    cdef readonly bint interrupt_pending
    cdef readonly long long interrupts
    cdef readonly long long frames
    cdef readonly bint inline
    cdef readonly long long service
    cdef readonly int backlog_limit
    cdef readonly long long visit_warm
    cdef readonly long long visit_cold
    cdef readonly long long sync_interval
    cdef readonly bint duty
    cdef readonly list behinds
    cdef PyObject **waits
    cdef inline TxQueueRow queue_at(self, int number) noexcept nogil
    cdef int pull(self, int number, long long now) noexcept nogil
    cdef bint is_open(self, int number) noexcept nogil
    cdef void take(self, int packet, long long now) noexcept nogil
    cdef void serve(self, int number, long long now) noexcept nogil
    cdef void synchronise(self, int number, long long now) noexcept nogil
    cdef void account(self, int packet, long long now) noexcept nogil
    cdef void pass_on(self, int packet, long long now) noexcept nogil
    cdef void to_ring(self, int packet, long long now) noexcept nogil
    cdef void to_backlog(self, int packet, long long now) noexcept nogil
    cdef void start_frame(self, long long now) noexcept nogil
    cdef void end_frame(self, long long now) noexcept nogil
    cdef void interrupt(self, long long now) noexcept nogil
    cdef void processed(self, int number, long long now) noexcept nogil
    cdef void leave_behind(self, int packet, long long now) noexcept nogil
    cdef void release(self, int packet, long long now) noexcept nogil
    cdef long long cost_of(self, int number, int packet) noexcept nogil
    cdef void handle(self, int what, int argument, long long now) noexcept nogil
