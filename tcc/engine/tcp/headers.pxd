from tcc.engine.constants cimport *
from tcc.engine.tcp.constants cimport *
from tcc.engine.rows cimport Packet
from tcc.engine.packet cimport PacketPool, RAW_BYTES
from tcc.engine.tcp.options cimport OptionPool
from tcc.engine.tcp.rows cimport Blocks, BlocksRow, Octets

cdef int put(unsigned char *data, int place, long long value, int size) noexcept nogil
cdef int put_sack(unsigned char *data, int place, Blocks *blocks) noexcept nogil
cdef void write_headers(PacketPool pool, OptionPool options, int packet) noexcept nogil
