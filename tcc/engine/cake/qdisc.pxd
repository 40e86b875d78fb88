cimport cython
from cpython.ref cimport PyObject
from tcc.engine.constants cimport *
from tcc.engine.cake.ack_filter cimport AckFilter
from tcc.engine.cake.cobalt cimport emptied, judge, overflowed
from tcc.engine.cake.estimator cimport RateEstimator
from tcc.engine.cake.flows cimport FlowTable
from tcc.engine.cake.overflow cimport OverflowHeap
from tcc.engine.cake.rows cimport *
from tcc.engine.cake.siblings cimport Siblings
from tcc.engine.packet cimport PacketPool
from tcc.engine.queue_disc cimport QueueDisc
from tcc.engine.random cimport Random, draw_u16
from tcc.engine.rows cimport Packet, PacketRow, packet_at

cdef extern from *:
    """
    #define TCC_M32 0xFFFFFFFFu
    #define TCC_M64 0xFFFFFFFFFFFFFFFFull
    #define TCC_SIGN 0x80000000ll
    #define TCC_TWO_32 0x100000000ll
    #define TCC_SECOND_34 (1000000000ull << 34)
    #define TCC_ONE_34 (1ull << 34)
    """
    const unsigned int M32 "TCC_M32"
    const unsigned long long M64 "TCC_M64"
    const long long SIGN "TCC_SIGN"
    const long long TWO_32 "TCC_TWO_32"
    const unsigned long long SECOND_34 "TCC_SECOND_34"
    const unsigned long long ONE_34 "TCC_ONE_34"

cdef unsigned short SHARES[1025]

cdef void append(Flow *flows, FlowRow flow, int slot, int which) noexcept nogil
cdef void unlink(Flow *flows, FlowRow flow) noexcept nogil
cdef void begin_with(Flow *flows, int slot) noexcept nogil
cdef int first_flow(Flow *flows, bint first) noexcept nogil

@cython.final
cdef class Cake(QueueDisc):
    cdef FlowTable table
    cdef Flows *flows
    cdef Hosts *hosts
    cdef Tin tins[8]
    cdef OverflowHeap heap
    cdef int heap_live
    cdef unsigned char index_of_dscp[64]
    cdef unsigned char order[8]
    cdef unsigned char shifts[8]
    cdef readonly int tin_count
    cdef bint eighths
    cdef Random chance
    cdef AckFilter filter
    cdef Siblings siblings
    cdef readonly bint child
    cdef readonly object config
    cdef readonly unsigned int handle
    cdef readonly unsigned int mtu
    cdef unsigned int segment_truesize
    # configuration
    cdef readonly unsigned long long rate
    cdef int flow_mode
    cdef bint sources
    cdef bint destinations
    cdef bint nat
    cdef bint besteffort
    cdef bint wash
    cdef bint ingress
    cdef bint autorate
    cdef bint network_size
    cdef bint split_gso
    cdef unsigned long long split_up_to
    cdef unsigned int split_above
    cdef int overhead
    cdef int mpu
    cdef int cells
    cdef readonly int ack_filter
    cdef unsigned int fwmark
    cdef int fwmark_shift
    cdef unsigned long long target
    cdef unsigned long long interval
    cdef unsigned int memory
    cdef int mq_kernel
    # state
    cdef readonly long long tnext
    cdef readonly long long failsafe
    cdef readonly unsigned long long ns
    cdef readonly int shift
    cdef int current
    cdef readonly unsigned int used
    cdef readonly unsigned int most_used
    cdef readonly unsigned int limit
    cdef readonly long long last_active
    cdef readonly long long last_check
    cdef readonly int active_queues
    cdef RateEstimator estimator
    # sizes
    cdef readonly unsigned int average_offset
    cdef readonly unsigned int max_netlen
    cdef readonly unsigned int min_netlen
    cdef readonly unsigned int max_adjlen
    cdef readonly unsigned int min_adjlen
    cdef unsigned int known_length
    cdef unsigned int known_offset
    cdef unsigned int known_size
    # what it did, for models of its cost
    cdef readonly long long super_packets
    cdef readonly long long segments
    cdef readonly long long purge_visits
    cdef readonly long long scans
    cdef readonly long long empty_visits
    cdef readonly long long rotations

    cdef inline TinRow tin_at(self, int t) noexcept nogil
    cdef inline PacketRow packet_at(self, int packet) noexcept nogil
    cdef void configure(self, unsigned long long rate, bint adjusting) noexcept nogil
    cdef void set_rate(self, int t, unsigned long long rate) noexcept nogil
    cdef void set_delays(self, int t) noexcept nogil
    cdef void set_limit(self) noexcept nogil
    cdef void clear_tin(self, int t) noexcept nogil
    cdef bint busy(self, int child) noexcept nogil
    cdef void scan(self, long long now) noexcept nogil
    cdef inline int choose_tin(self, PacketRow row) noexcept nogil
    cdef inline int choose_slot(self, int t, PacketRow row) noexcept nogil
    cdef inline int quantum(self, Host *hosts, TinRow tin, FlowRow flow) noexcept nogil
    cdef unsigned int adjust(self, unsigned int length, unsigned int offset) noexcept nogil
    cdef inline void measure(self, PacketRow row) noexcept nogil
    cdef void refresh(self, TinRow tin, long long now) noexcept nogil
    cdef bint splits(self, PacketRow row) noexcept nogil
    cdef inline void add(self, TinRow tin, FlowRow flow, int packet, PacketRow row, long long now) noexcept nogil
    cdef unsigned int filter_acks(self, TinRow tin, FlowRow flow, int packet, long long now) noexcept nogil
    cdef long long add_segments(self, TinRow tin, FlowRow flow, int packet, long long now) noexcept nogil
    cdef inline void activate(self, int t, TinRow tin, FlowRow flow, int slot) noexcept nogil
    cdef bint relieve(self, int own, long long now) noexcept nogil
    cdef int drop_longest(self, long long now) noexcept nogil
    cdef inline void charge(self, TinRow tin, unsigned int length, bint drop, long long now) noexcept nogil
    cdef inline void spend(self, TinRow tin, FlowRow flow, unsigned int length) noexcept nogil
    cdef inline bint may_send(self, long long now) noexcept nogil
    cdef int choose(self, long long now) noexcept nogil
    cdef inline int pick_tin(self, long long now) noexcept nogil
    cdef int pick_unshaped(self) noexcept nogil
    cdef inline void unqueue(self, TinRow tin, FlowRow flow, PacketRow row) noexcept nogil
    cdef inline void renew(self, int t, TinRow tin, Host *hosts, FlowRow flow) noexcept nogil
    cdef inline void rotate(self, int t, TinRow tin, Flow *flows, FlowRow flow, int slot) noexcept nogil
    cdef inline int serve(self, TinRow tin, FlowRow flow, long long now) noexcept nogil
    cdef inline void retire(self, int t, TinRow tin, Flow *flows, FlowRow flow, int slot, long long now) noexcept nogil
    cdef inline void deliver(self, TinRow tin, FlowRow flow, PacketRow row, long long now) noexcept nogil
