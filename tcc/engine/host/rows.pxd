cdef struct TxQueue:
    int watchdog
    int processor
    bint inside
    int parked
    int busy
    int head
    int tail
    int first
    int last
    int waiting
    int used
    int done_used
    long long left
    long long done_bytes
    long long debt
    long long last_scan
    long long scan_cost
    long long visits
    long long scans
    long long work
    long long sync_work
    long long refused
    long long most_waiting
    long long objects
    long long stops

ctypedef TxQueue *TxQueueRow
