cdef struct Slot:
    int head
    int tail
    int qlen
    int allot
    int next
    int bucket
    int newer
    int older
    long long backlog

cdef struct CodelFlow:
    int head
    int tail
    int next
    int deficit
    unsigned char listed
    unsigned char dropping
    unsigned short rec
    unsigned int count
    unsigned int lastcount
    long long backlog
    long long first_above
    long long drop_next

cdef struct FqFlow:
    int head
    int tail
    int next
    int chain
    int qlen
    int credit
    unsigned char state
    unsigned char band
    unsigned long long key
    long long rate
    long long due
    long long order
    long long age
