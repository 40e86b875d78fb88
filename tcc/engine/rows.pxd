cdef struct Packet:
    int next
    unsigned int length
    unsigned int adjusted
    unsigned int truesize
    long long enqueue_time
    int raw
    int owner
    int flow
    unsigned int flags
    int payload
    unsigned int gso_size
    unsigned short gso_segs
    unsigned char tos
    unsigned char protocol
    unsigned char kind
    unsigned char reason
    long long due
    unsigned long long order
    long long sequence
    long long acknowledgement
    long long sent_time
    long long echo_time
    long long id
    unsigned int flow_hash
    unsigned int source_hash
    unsigned int destination_hash
    unsigned int priority
    unsigned int mark
    unsigned int classid
    unsigned short header_length
    short network_offset
    short transport_offset
    unsigned short tx_queue
    long long departure_time

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
