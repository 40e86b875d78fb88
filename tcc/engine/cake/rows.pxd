cdef struct Flow:
    int head
    int tail
    int deficit
    unsigned int backlog
    unsigned int tag
    short next
    short previous
    short source
    short destination
    unsigned short place
    unsigned char state
    unsigned char dropping
    unsigned int count
    unsigned int rec
    unsigned int p_drop
    unsigned int dropped
    long long drop_next
    long long blue_timer

ctypedef Flow *FlowRow
ctypedef Flow Flows[1027]

cdef inline FlowRow flow_at(Flow *flows, int slot) noexcept nogil:
    return &flows[slot]

cdef struct Host:
    unsigned int source_tag
    unsigned int destination_tag
    unsigned short source_bulk
    unsigned short destination_bulk

ctypedef Host Hosts[1024]

cdef struct Tin:
    unsigned long long rate
    unsigned long long ns
    int shift
    int flow_quantum
    int quantum
    int deficit
    long long tnext
    long long target
    long long interval
    long long mtu_time
    unsigned int backlog
    int sparse
    int bulk
    int decaying
    int unresponsive
    int marked
    unsigned int packets
    unsigned long long bytes
    unsigned int dropped
    unsigned int ecn_mark
    unsigned int ack_drops
    unsigned int max_length
    unsigned int way_hits
    unsigned int way_misses
    unsigned int way_collisions
    long long average_delay
    long long peak_delay
    long long base_delay

ctypedef Tin *TinRow

cdef struct Segment:
    int version
    int address
    int address_length
    int tcp
    int tcp_length
    int length
    int flags
    unsigned int acknowledgement
    unsigned int ports

cdef enum:
    TINS = 8
    SLOTS = 1024
    WAYS = 8
    NEW = 1024
    OLD = 1025
    DECAYED = 1026
    STRIDE = 1027
    NONE = 0
    SPARSE = 1
    SPARSE_WAIT = 2
    BULK = 3
    DECAYING = 4
    HEAP = 8192
    LIVE = 65535
    KEEP = -1
