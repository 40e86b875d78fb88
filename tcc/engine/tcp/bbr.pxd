from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport *
from tcc.engine.random cimport Random
from tcc.engine.tcp.rows cimport Best
from tcc.engine.tcp.socket cimport Congestion, Socket, run_best

cdef enum:
    STARTUP = 0
    DRAIN = 1
    PROBE_RATE = 2
    PROBE_RTT = 3
    UNIT = 256
    HIGH_GAIN = 739
    DRAIN_GAIN = 88
    RATE_BITS = 24
    RATE_UNIT = 16777216
    LEAST_WINDOW = 4

cdef class Bbr(Congestion):
    cdef readonly int mode
    cdef readonly long long least_rtt
    cdef long long least_rtt_at
    cdef long long probe_done
    cdef bint probe_round_done
    cdef Best best
    cdef readonly long long rounds
    cdef long long round_until
    cdef bint round_began
    cdef int prior_state
    cdef bint conserve
    cdef bint idle_restart
    cdef long long cycle_began
    cdef int phase
    cdef long long gain
    cdef long long window_gain
    cdef readonly bint full
    cdef int full_rounds
    cdef long long full_rate
    cdef bint rtt_seen
    cdef long long prior_window
    cdef long long epoch
    cdef long long epoch_acked
    cdef long long extra[2]
    cdef int extra_rounds
    cdef int extra_place
    cdef bint policing
    cdef readonly bint policed
    cdef int police_rounds
    cdef readonly long long police_rate
    cdef long long police_delivered
    cdef long long police_time
    cdef long long police_lost
    cdef void begin(self, Socket tcp) noexcept nogil
    cdef long long threshold(self, Socket tcp) noexcept nogil
    cdef void control(self, Socket tcp) noexcept nogil
    cdef void entered(self, Socket tcp, int state) noexcept nogil
    cdef long long undone(self, Socket tcp) noexcept nogil
    cdef void restarted(self, Socket tcp) noexcept nogil
    cdef int least_burst(self, Socket tcp) noexcept nogil
    cdef long long greatest(self) noexcept nogil
    cdef long long rate(self) noexcept nogil
    cdef long long bytes_per_second(self, long long rate, long long gain) noexcept nogil
    cdef void set_pacing(self, Socket tcp, long long rate, long long gain) noexcept nogil
    cdef int burst(self, Socket tcp) noexcept nogil
    cdef void save_window(self, Socket tcp) noexcept nogil
    cdef long long product(self, long long rate, long long gain) noexcept nogil
    cdef long long budget(self, Socket tcp, long long window) noexcept nogil
    cdef long long target(self, Socket tcp, long long rate, long long gain) noexcept nogil
    cdef long long in_network(self, Socket tcp, long long flight) noexcept nogil
    cdef long long aggregation(self) noexcept nogil
    cdef bint recover(self, Socket tcp, long long *window) noexcept nogil
    cdef void set_window(self, Socket tcp) noexcept nogil
    cdef bint phase_over(self, Socket tcp) noexcept nogil
    cdef void next_phase(self, Socket tcp) noexcept nogil
    cdef void probe_rate(self, Socket tcp) noexcept nogil
    cdef void leave_probe_rtt(self, Socket tcp) noexcept nogil
    cdef void police_interval(self, Socket tcp) noexcept nogil
    cdef void police_reset(self, Socket tcp) noexcept nogil
    cdef void police_done(self, Socket tcp, long long rate) noexcept nogil
    cdef void police(self, Socket tcp, long long lost) noexcept nogil
    cdef void update_rate(self, Socket tcp) noexcept nogil
    cdef void update_aggregation(self, Socket tcp) noexcept nogil
    cdef void check_full(self, Socket tcp) noexcept nogil
    cdef void check_drain(self, Socket tcp) noexcept nogil
    cdef void update_rtt(self, Socket tcp) noexcept nogil
    cdef void update_gains(self) noexcept nogil
