cdef struct Segment:
    long long sent
    long long first_sent
    long long delivered_time
    long long delivered
    int earlier
    int later
    int flags
    int app_limited

cdef struct Blocks:
    int next
    int count
    int duplicate
    long long start[4]
    long long end[4]

cdef struct Best:
    long long time[3]
    long long value[3]

ctypedef unsigned char *Octets
ctypedef Blocks *BlocksRow
ctypedef Best *BestRow
