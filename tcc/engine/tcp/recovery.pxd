from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport *
from tcc.engine.tcp.rows cimport Best, Blocks, Segment
from tcc.engine.tcp.socket cimport Congestion, Socket
from tcc.engine.tcp.scoreboard cimport check_reordering, detect_losses, mark_lost

cdef bint any_repeated(Socket tcp) noexcept nogil
cdef void init_undo(Socket tcp) noexcept nogil
cdef void init_reduction(Socket tcp) noexcept nogil
cdef void reduce(Socket tcp, long long delivered, long long lost) noexcept nogil
cdef void end_reduction(Socket tcp) noexcept nogil
cdef void enter_cwr(Socket tcp) noexcept nogil
cdef void enter_recovery(Socket tcp, bint echo) noexcept nogil
cdef void enter_loss(Socket tcp) noexcept nogil
cdef void undo(Socket tcp, bint unmark) noexcept nogil
cdef bint delayed(Socket tcp) noexcept nogil
cdef bint may_undo(Socket tcp) noexcept nogil
cdef bint undo_duplicates(Socket tcp) noexcept nogil
cdef bint undo_loss(Socket tcp, bint frto) noexcept nogil
cdef bint undo_partial(Socket tcp, long long prior_una) noexcept nogil
cdef void undo_recovery(Socket tcp) noexcept nogil
cdef void keep_open(Socket tcp) noexcept nogil
cdef void try_to_open(Socket tcp) noexcept nogil
cdef void find_losses(Socket tcp) noexcept nogil
cdef int process_loss(Socket tcp) noexcept nogil
cdef bint leave_states(Socket tcp) noexcept nogil
cdef int alert(Socket tcp, long long prior_una) noexcept nogil
cdef int alert_open(Socket tcp) noexcept nogil
cdef void process_probe(Socket tcp) noexcept nogil
cdef void update_window(Socket tcp) noexcept nogil
