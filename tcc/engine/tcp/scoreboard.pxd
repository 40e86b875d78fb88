from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport *
from tcc.engine.tcp.rows cimport Best, Blocks, BlocksRow, Segment
from tcc.engine.tcp.socket cimport Congestion, Socket, run_best

cdef void mark_lost(Socket tcp, long long segment) noexcept nogil
cdef void rack_advance(Socket tcp, int flags, long long end, long long sent) noexcept nogil
cdef void note_delivered(Socket tcp, long long segment) noexcept nogil
cdef void check_reordering(Socket tcp, long long low) noexcept nogil
cdef void tag_one(Socket tcp, long long segment, bint duplicate) noexcept nogil
cdef void tag_range(Socket tcp, long long start, long long end, bint duplicate) noexcept nogil
cdef bint note_duplicate(Socket tcp, Blocks *blocks, long long prior_una) noexcept nogil
cdef void tag_block(Socket tcp, long long start, long long end) noexcept nogil
cdef void tag_sacks(Socket tcp, Blocks *blocks, long long prior_una) noexcept nogil
cdef void estimate_rtt(Socket tcp, long long rtt) noexcept nogil
cdef bint update_rtt(Socket tcp, long long rtt, long long sack_rtt, long long last_rtt) noexcept nogil
cdef void clean(Socket tcp, long long prior_una, long long prior_high) noexcept nogil
cdef long long reordering_window(Socket tcp) noexcept nogil
cdef long long detect_losses(Socket tcp) noexcept nogil
cdef long long highest(Socket tcp) noexcept nogil
