cdef struct Packet:
    int next
    unsigned int length
    unsigned int adjusted
    unsigned int truesize
    long long enqueue_time
    unsigned int flow_hash
    unsigned int source_hash
    unsigned int destination_hash
    unsigned int priority
    unsigned int mark
    unsigned int gso_size
    int raw
    unsigned short gso_segs
    unsigned short header_length
    short network_offset
    short transport_offset
    unsigned short tx_queue
    unsigned char tos
    unsigned char protocol
    unsigned char reason
    unsigned char kind
    long long due
    unsigned long long order
    long long departure_time
    long long id
    int owner
    int flow
    long long sequence
    long long acknowledgement
    long long sent_time
    long long echo_time
    int payload
    unsigned int flags
    unsigned int classid

ctypedef Packet *PacketRow

cdef inline PacketRow packet_at(Packet *rows, int packet) noexcept nogil:
    return &rows[packet]

cdef struct Entry:
    long long time
    unsigned long long order
    int node

cdef struct Node:
    int position
    int handler
    int what
    int argument
    int line
    int once
    int following
    unsigned long long order

cdef struct Line:
    int head
    int tail
    int node
    int packets
