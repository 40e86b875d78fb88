from tcc.engine.tcp.constants cimport SEGMENT
from tcc.engine.random cimport Random
from tcc.engine.tcp.sender cimport Sender

cdef class PacedSender(Sender):
    cdef Random chance
    cdef readonly int least
    cdef readonly int most
    cdef void pace(self) noexcept nogil
