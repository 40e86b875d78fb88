cdef extern from "<stdlib.h>" nogil:
    void *aligned_alloc(size_t alignment, size_t size)
