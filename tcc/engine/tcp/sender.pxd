from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.tcp.rows cimport Blocks, Segment
from tcc.engine.tcp.socket cimport Congestion, Socket
from tcc.engine.tcp.options cimport OptionPool
from tcc.engine.tcp.scoreboard cimport clean, highest, tag_sacks, update_rtt
from tcc.engine.tcp.recovery cimport alert, enter_cwr, process_probe, reduce, update_window
from tcc.engine.tcp.output cimport (
    rearm, reorder_timeout, repair, resume, send_probe, set_transmit_timer, timeout, write,
)

cdef class Sender(Socket):
    cdef readonly bint stopping
    cdef readonly long long greeting
    cdef void handle(self, int what, int argument, long long now) noexcept nogil
    cdef void take(self, int packet, long long now) noexcept nogil
    cdef void refused(self, int packet, long long now) noexcept nogil
    cdef void departed(self, int packet, long long now) noexcept nogil
    cdef inline void released(self, int packet) noexcept nogil
    cdef inline void established(self, long long now) noexcept nogil
    cdef inline void greeted(self, long long now) noexcept nogil
    cdef inline void begin(self, long long now) noexcept nogil
    cdef inline void on_timer(self) noexcept nogil
    cdef inline void acknowledge(self, int packet) noexcept nogil
    cdef inline void rate_sample(self, long long delivered, long long lost) noexcept nogil
    cdef inline void adjust(self, long long acked) noexcept nogil
    cdef void pace(self) noexcept nogil
