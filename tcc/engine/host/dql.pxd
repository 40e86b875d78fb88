cdef enum:
    NO_SLACK = 0x7FFFFFFF

cdef class DynamicLimit:
    cdef readonly long long queued
    cdef readonly long long completed
    cdef readonly long long adjusted
    cdef readonly long long limit
    cdef readonly long long least
    cdef readonly long long most
    cdef readonly long long hold
    cdef readonly long long last_object
    cdef readonly long long previous_queued
    cdef readonly long long previous_over
    cdef readonly long long previous_object
    cdef readonly long long slack
    cdef readonly long long slack_since
    cdef void add(self, long long size) noexcept nogil
    cdef long long room(self) noexcept nogil
    cdef void complete(self, long long size, long long now) noexcept nogil
