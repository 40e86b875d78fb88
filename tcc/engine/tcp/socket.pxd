# cython: cdivision=True
from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.events cimport Schedule
from tcc.engine.packet cimport PacketPool
from tcc.engine.random cimport Random
from tcc.engine.sink cimport Endpoint, Sink
from tcc.engine.tcp.rows cimport Best, BestRow, Segment
from tcc.engine.tcp.options cimport OptionPool

cdef class Congestion:
    cdef readonly bint paces
    cdef readonly bint controls
    cdef void begin(self, Socket tcp) noexcept nogil
    cdef long long threshold(self, Socket tcp) noexcept nogil
    cdef void grow(self, Socket tcp, int acked) noexcept nogil
    cdef void control(self, Socket tcp) noexcept nogil
    cdef void sample(self, Socket tcp, long long rtt) noexcept nogil
    cdef void entered(self, Socket tcp, int state) noexcept nogil
    cdef long long undone(self, Socket tcp) noexcept nogil
    cdef void restarted(self, Socket tcp) noexcept nogil
    cdef int least_burst(self, Socket tcp) noexcept nogil

cdef class Socket(Endpoint):
    # what every acknowledgement reads or writes comes first, so that it lies together:
    # sequence space, in segments
    cdef Segment *ring
    cdef int mask
    cdef int oldest
    cdef int newest
    cdef readonly long long una
    cdef readonly long long nxt
    cdef readonly long long total
    cdef readonly long long window_end
    cdef long long head_end
    cdef readonly bint running
    cdef readonly bint ecn
    # what is in flight
    cdef readonly long long sacked_out
    cdef readonly long long lost_out
    cdef readonly long long retrans_out
    cdef long long highest_sack
    cdef long long retransmit_hint
    cdef long long high
    cdef long long last_packet
    # congestion
    cdef readonly Congestion congestion
    cdef readonly long long cwnd
    cdef readonly long long ssthresh
    cdef long long cwnd_count
    cdef readonly int state
    cdef bint cwnd_limited
    cdef long long most_out
    cdef long long usage_until
    cdef long long cwnd_stamp
    # delivery
    cdef readonly long long delivered
    cdef long long delivered_time
    cdef long long first_sent
    cdef readonly long long lost
    cdef long long app_limited
    # the sample of the acknowledgement at hand
    cdef long long rate_prior_time
    cdef long long rate_prior_delivered
    cdef long long rate_delivered
    cdef long long rate_interval
    cdef long long rate_rtt
    cdef long long rate_last_end
    cdef long long rate_losses
    cdef long long rate_acked
    cdef long long rate_prior_flight
    cdef bint rate_app_limited
    cdef int flags
    cdef long long first_sacked
    cdef long long sack_delivered
    cdef long long echoed
    cdef long long stamp
    # round trip
    cdef readonly long long srtt
    cdef long long mdev
    cdef long long mdev_max
    cdef readonly long long rttvar
    cdef long long rtt_until
    cdef readonly long long rto
    cdef Best rtt_best
    cdef int backoff
    cdef int retransmits
    # RACK
    cdef long long rack_time
    cdef long long rack_end
    cdef long long rack_rtt
    cdef long long rack_last_delivered
    cdef bint rack_advanced
    cdef bint rack_duplicate
    cdef int rack_steps
    cdef int rack_persist
    cdef readonly int reordering
    cdef long long probe_high
    # clock, timers, pacing
    cdef long long now
    cdef long long time
    cdef long long jiffies
    cdef long long wstamp
    cdef long long deadline
    cdef long long due
    cdef long long armed_for
    cdef readonly long long pacing_rate
    cdef int pending
    cdef int timer
    cdef readonly int gso_bytes
    cdef public bint sizes_by_rtt
    cdef bint pace_waiting
    cdef readonly long long sent_segments
    # what few acknowledgements need: options, losses and their repair, the host's queue, counts
    cdef readonly Random random
    cdef readonly OptionPool options
    cdef readonly int last_payload
    cdef long long last_window_end
    cdef long long prior_cwnd
    cdef long long prior_ssthresh
    cdef long long prr_delivered
    cdef long long prr_out
    cdef long long undo_marker
    cdef long long undo_retrans
    cdef long long retrans_stamp
    cdef long long cwnd_used
    cdef bint cwr_queued
    cdef bint rate_ack_delayed
    cdef long long last_sacked
    cdef long long reorder_low
    cdef readonly long long reordering_seen
    cdef bint probe_repeated
    cdef bint frto
    cdef long long cached_start[4]
    cdef long long cached_end[4]
    cdef int pace_timer
    cdef readonly long long queued
    cdef bint throttled
    cdef bint turned_away
    cdef readonly long long repeated
    cdef readonly long long timeouts
    cdef readonly long long probes
    cdef readonly long long undos
    cdef readonly long long recoveries
    cdef readonly long long duplicates
    cdef readonly long long reductions
    cdef readonly long long finished_at
    # what has a body here is for the interpreter in socket.py
    cdef inline void refresh(self, long long now) noexcept nogil:
        self.now = now
        self.time = now // 1000
        self.jiffies = now // JIFFY
    cdef inline long long in_flight(self) noexcept nogil:
        return self.nxt - self.una - self.sacked_out - self.lost_out + self.retrans_out
    cdef int ensure(self, long long segments) noexcept nogil
    cdef inline void list_append(self, long long segment) noexcept nogil:
        cdef Segment *row = &self.ring[segment & self.mask]
        row.earlier = self.newest
        row.later = NIL
        if self.newest == NIL:
            self.oldest = segment
        else:
            self.ring[self.newest & self.mask].later = segment
        self.newest = segment
    cdef inline void list_remove(self, long long segment) noexcept nogil:
        cdef Segment *row = &self.ring[segment & self.mask]
        cdef int earlier = row.earlier
        cdef int later = row.later
        if earlier == segment:
            return
        if earlier == NIL:
            self.oldest = later
        else:
            self.ring[earlier & self.mask].later = later
        if later == NIL:
            self.newest = earlier
        else:
            self.ring[later & self.mask].earlier = earlier
        row.earlier = segment
    cdef inline long long least_rtt(self) noexcept nogil:
        return -self.rtt_best.value[0]
    cdef long long current_threshold(self) noexcept nogil
    cdef void enter(self, int state) noexcept nogil
    cdef inline bint slow_start(self) noexcept nogil:
        return self.cwnd < self.ssthresh
    cdef bint limited(self) noexcept nogil
    cdef void set_timer(self, int kind, long long jiffies) noexcept nogil
    cdef void clear_timer(self) noexcept nogil

cdef long long run_best(Best *best, long long window, long long time, long long value, bint least) noexcept nogil
