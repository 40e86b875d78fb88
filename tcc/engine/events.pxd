cimport cython
from tcc.engine.constants cimport *
from cpython.ref cimport PyObject
from tcc.engine.rows cimport Packet, Entry, Node, Line
from tcc.engine.packet cimport PacketPool

cdef class Handler:
    cdef readonly int address
    cdef void handle(self, int what, int argument, long long now) noexcept nogil

cdef class PythonHandler(Handler):
    cdef Schedule schedule
    cdef object call
    cdef void handle(self, int what, int argument, long long now) noexcept nogil

@cython.final
cdef class Schedule:
    cdef readonly PacketPool pool
    cdef readonly long long now
    cdef readonly unsigned long long order
    cdef readonly long long fired
    cdef public bint stopped
    cdef readonly object failure
    cdef Entry *heap
    cdef readonly int armed
    cdef bint vacant
    cdef int first_ready
    cdef int last_ready
    cdef Node *nodes
    cdef readonly int node_count
    cdef int free_node
    cdef Line *lines
    cdef readonly int line_count
    cdef PyObject **handlers
    cdef list kept
    cdef int grow_nodes(self) noexcept nogil
    cdef int take_node(self) noexcept nogil
    cdef void sift_up(self, int place, long long time, unsigned long long order, int node) noexcept nogil
    cdef void sift_down(self, int place, long long time, unsigned long long order, int node) noexcept nogil
    cdef void place(self, int node, long long time, unsigned long long order) noexcept nogil
    cdef void arm(self, int node, long long time) noexcept nogil
    cdef void disarm(self, int node) noexcept nogil
    cdef int at(self, long long time, int handler, int what, int argument) noexcept nogil
    cdef void send(self, int line, int packet, long long due) noexcept nogil
    cdef void close(self) noexcept nogil
    cdef long long upcoming(self) noexcept nogil
    cdef void make_ready(self, int node) noexcept nogil
    cdef void fire(self) noexcept nogil
    cdef void fire_ready(self) noexcept nogil
    cdef void call(self, int handler, int what, int argument) noexcept nogil
    cdef bint ready_first(self) noexcept nogil
    cdef void loop(self, long long until) noexcept nogil
