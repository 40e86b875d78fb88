from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport PURE_ACK
from tcc.engine.rows cimport Packet
from tcc.engine.measure cimport Histogram
from tcc.engine.host.one_round cimport OneRound
from tcc.engine.path cimport Interface
from tcc.engine.queue_disc cimport QueueDisc
from tcc.engine.random cimport Random
from tcc.engine.sink cimport Sink

cdef enum:
    TURN = 21
    FEED = 22
    OWNER = 0
    RUNNER = 1
    MOST_AT_ONCE = 64

cdef class LockedDevice(Interface):
    cdef readonly OneRound round
    cdef readonly bint deferring
    cdef readonly int cap
    cdef readonly int bulk
    cdef readonly long long enqueue_cost
    cdef readonly long long send_cost
    cdef readonly long long drop_cost
    cdef readonly long long overflow_cost
    cdef readonly long long hand_off
    cdef int turn_timer
    cdef int turn
    cdef bint working
    cdef int first
    cdef int last
    cdef readonly int waiting
    cdef readonly int most_waiting
    cdef readonly long long turned_away
    cdef readonly long long batches
    cdef readonly long long enqueue_work
    cdef readonly long long send_work
    cdef readonly long long drop_work
    cdef void take(self, int packet, long long now) noexcept nogil
    cdef long long enqueue_batch(self, long long now) noexcept nogil
    cdef long long run_queue(self, long long now) noexcept nogil
    cdef long long reap(self, long long now) noexcept nogil
    cdef void work(self, long long now) noexcept nogil
    cdef void handle(self, int what, int argument, long long now) noexcept nogil

cdef class Flood(Sink):
    cdef readonly Sink port
    cdef readonly int flows
    cdef readonly int length
    cdef readonly int truesize
    cdef readonly long long rate
    cdef readonly long long mean_rate
    cdef readonly int spread
    cdef readonly bint drawn
    cdef int turn
    cdef Random chance
    cdef unsigned int *hashes
    cdef int timer
    cdef long long gap
    cdef long long rest
    cdef long long fraction
    cdef readonly long long sent
    cdef long long second
    cdef void emit(self, long long now) noexcept nogil
    cdef void draw(self, long long now) noexcept nogil
    cdef void handle(self, int what, int argument, long long now) noexcept nogil

cdef class Counter(Sink):
    cdef readonly long long packets
    cdef readonly long long octets
    cdef void take(self, int packet, long long now) noexcept nogil
