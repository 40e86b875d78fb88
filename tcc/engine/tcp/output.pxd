from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.tcp.rows cimport Segment
from tcc.engine.tcp.socket cimport Congestion, Socket
from tcc.engine.tcp.scoreboard cimport detect_losses
from tcc.engine.tcp.recovery cimport enter_cwr, enter_loss, enter_recovery, reduce

cdef long long rto_left(Socket tcp) noexcept nogil
cdef long long pacing_wait(Socket tcp) noexcept nogil
cdef void rearm(Socket tcp) noexcept nogil
cdef bint schedule_probe(Socket tcp, bint advancing) noexcept nogil
cdef void set_transmit_timer(Socket tcp) noexcept nogil
cdef int burst_goal(Socket tcp) noexcept nogil
cdef bint pacing_holds(Socket tcp) noexcept nogil
cdef bint host_queue_full(Socket tcp, int segments, int shift) noexcept nogil
cdef void note_sent(Socket tcp, long long segment, int count) noexcept nogil
cdef bint host_takes(Socket tcp, int packet, long long payload) noexcept nogil
cdef bint transmit(Socket tcp, long long segment, int count, bint again) noexcept nogil
cdef bint defer(Socket tcp, long long most, bint *window_held) noexcept nogil
cdef void validate(Socket tcp, bint limited) noexcept nogil
cdef int write(Socket tcp, int probe) noexcept nogil
cdef bint repeat(Socket tcp, long long segment, int count) noexcept nogil
cdef bint repeat_lost(Socket tcp, long long segment, int count) noexcept nogil
cdef int run_length(Socket tcp, long long segment, long long most) noexcept nogil
cdef void repair(Socket tcp) noexcept nogil
cdef void send_probe(Socket tcp) noexcept nogil
cdef void reorder_timeout(Socket tcp) noexcept nogil
cdef void timeout(Socket tcp) noexcept nogil
cdef void resume(Socket tcp) noexcept nogil
