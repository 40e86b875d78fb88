cimport cython
from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.sink cimport Endpoint, Sink
from tcc.engine.tcp.rows cimport Blocks, BlocksRow
from tcc.engine.tcp.options cimport OptionPool

cdef enum:
    SCHEDULED = 1
    TIMER = 2
    PUSHED = 4
    PUSHED_TWICE = 8
    AT_ONCE = 16
    LEAST_ATO = 40
    GREATEST_ATO = 200

@cython.final
cdef class Receiver(Endpoint):
    # what every packet reads or writes comes first, so that it lies together
    cdef readonly long long next
    cdef readonly long long bytes
    cdef readonly long long arrived
    cdef readonly long long acknowledgements
    cdef readonly long long held_count
    cdef long long short_end
    cdef int sacks
    cdef bint twice
    # when to acknowledge
    cdef long long now
    cdef long long time
    cdef long long jiffies
    cdef long long echo
    cdef long long last_arrival
    cdef long long segment_seen
    cdef long long ato
    cdef long long delayed_until
    cdef int pending
    cdef int quick
    cdef int delayed_timer
    cdef int compressed
    cdef bint compressed_waiting
    cdef bint demand
    cdef readonly bint ecn
    # the window
    cdef readonly long long window
    cdef long long window_from
    cdef readonly long long clamp
    cdef readonly long long window_threshold
    cdef readonly long long buffer
    cdef long long ratio
    cdef long long unread
    cdef bint reading
    cdef int turns
    cdef long long pulled
    cdef long long rtt
    cdef long long rtt_until
    cdef long long rtt_began
    cdef long long rtt_echo
    cdef long long space
    cdef long long space_from
    cdef long long space_began
    # what few packets need: options, what is out of order, counts
    cdef readonly OptionPool options
    cdef long long short_by
    cdef readonly long long duplicates
    cdef readonly long long marked
    cdef unsigned char *held
    cdef long long mask
    cdef long long held_end
    cdef long long sack_start[4]
    cdef long long sack_end[4]
    cdef long long twice_start
    cdef long long twice_end
    cdef long long rto
    cdef long long srtt
    cdef long long compressed_next
    cdef int repeats
    cdef int compressed_timer
    cdef bint ecn_seen
    cdef readonly long long greatest_buffer
    cdef int ensure(self, long long segments) noexcept nogil
    cdef long long from_space(self, long long space) noexcept nogil
    cdef long long select_window(self) noexcept nogil
    cdef long long memory(self) noexcept nogil
    cdef void grow_window(self, long long payload, long long truesize) noexcept nogil
    cdef void grow_buffer(self, long long copied) noexcept nogil
    cdef void adjust_space(self) noexcept nogil
    cdef void update_rtt(self, long long sample, bint by_window) noexcept nogil
    cdef void measure_rtt(self) noexcept nogil
    cdef void measure_segment(self, int packet) noexcept nogil
    cdef bint ends_burst(self, int packet) noexcept nogil
    cdef void more_quick(self, int most) noexcept nogil
    cdef void be_quick(self, int most) noexcept nogil
    cdef void check_ecn(self, int packet) noexcept nogil
    cdef void note_arrival(self, int packet) noexcept nogil
    cdef void note_twice(self, long long start, long long end) noexcept nogil
    cdef void add_sack(self, long long start, long long end) noexcept nogil
    cdef void remove_sacks(self) noexcept nogil
    cdef void hold(self, long long start, long long end) noexcept nogil
    cdef void pull(self) noexcept nogil
    cdef void queue(self, int packet) noexcept nogil
    cdef void decide(self) noexcept nogil
    cdef void compress(self) noexcept nogil
    cdef void delay(self) noexcept nogil
    cdef void flush_compressed(self) noexcept nogil
    cdef bint reading_matters(self) noexcept nogil
    cdef void application_reads(self) noexcept nogil
    cdef void delayed_fires(self) noexcept nogil
    cdef void acknowledge(self) noexcept nogil
    cdef int fill_blocks(self, Blocks *blocks) noexcept nogil
