from tcc.engine.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.tcp.constants cimport LOCAL
from tcc.engine.fair_rows cimport FqFlow
from tcc.engine.queue_disc cimport QueueDisc

cdef long long UNLIMITED
cdef long long SECOND
cdef long long FAR
cdef int DETACHED
cdef int LISTED
cdef int THROTTLED
cdef int INTERNAL
cdef int BANDS
cdef int FAST_PACKETS
cdef int GC_AGE

cdef class Fq(QueueDisc):
    cdef readonly long long limit
    cdef readonly int flow_limit
    cdef readonly int quantum
    cdef readonly int initial_quantum
    cdef readonly long long flow_max_rate
    cdef readonly long long low_rate_threshold
    cdef readonly long long refill_delay
    cdef readonly long long horizon
    cdef readonly long long timer_slack
    cdef readonly long long ce_threshold
    cdef readonly bint pacing
    cdef readonly bint horizon_drop
    cdef readonly unsigned int orphan_mask
    cdef readonly long long jiffy
    cdef readonly int flows
    cdef readonly int inactive
    cdef readonly int throttled
    cdef readonly long long gc_flows
    cdef readonly long long fast_packets
    cdef readonly long long flow_limit_drops
    cdef readonly long long horizon_drops
    cdef readonly long long horizon_caps
    cdef readonly long long throttlings
    cdef readonly long long too_long
    cdef readonly int buckets
    cdef FqFlow *rows
    cdef int *table
    cdef int *delayed
    cdef int row_count
    cdef int free_row
    cdef long long orders
    cdef long long next_delayed
    cdef long long armed
    cdef int band
    cdef int bands[16]
    cdef int held[3]
    cdef long long lost_in_band[3]
    cdef int new_head[3]
    cdef int new_tail[3]
    cdef int old_head[3]
    cdef int old_tail[3]
    cdef int weights[3]
    cdef int credits[3]
    cdef int do_enqueue(self, int packet, long long now) noexcept nogil
    cdef int do_dequeue(self, long long now) noexcept nogil
    cdef int do_peek(self, long long now) noexcept nogil
    cdef void do_reset(self) noexcept nogil
    cdef int grow(self, int size) noexcept nogil
    cdef bint may_be_fast(self, int flow, long long now) noexcept nogil
    cdef unsigned long long key_of(self, int packet) noexcept nogil
    cdef int find(self, unsigned long long key) noexcept nogil
    cdef int classify(self, unsigned long long key, long long now) noexcept nogil
    cdef void collect(self, int bucket, unsigned long long key, long long now) noexcept nogil
    cdef int refuse(self, int packet, int reason) noexcept nogil
    cdef void insert(self, int flow, int packet) noexcept nogil
    cdef int unlink(self, int flow) noexcept nogil
    cdef void list_new(self, int flow) noexcept nogil
    cdef void list_old(self, int flow) noexcept nogil
    cdef int select(self) noexcept nogil
    cdef int next_flow(self) noexcept nogil
    cdef void leave(self) noexcept nogil
    cdef void retire(self, int flow, long long now) noexcept nogil
    cdef void throttle(self, int flow, long long due) noexcept nogil
    cdef bint earlier(self, int one, int other) noexcept nogil
    cdef int pop_delayed(self) noexcept nogil
    cdef void release(self, long long now) noexcept nogil
    cdef int serve(self, long long now) noexcept nogil
    cdef void pace_flow(self, int flow, int packet, long long now) noexcept nogil
    cdef void arm(self, long long now) noexcept nogil
    cdef void mark(self, int packet) noexcept nogil
    cdef void advance(self, int flow, long long due, long long now) noexcept nogil
    cdef void push_delayed(self, int flow) noexcept nogil
    cdef void sift_up(self, int place, int flow) noexcept nogil
    cdef void sift_down(self, int place, int flow) noexcept nogil
    cdef void remove_delayed(self, int flow) noexcept nogil
