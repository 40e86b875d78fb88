cimport cython
from cpython.ref cimport PyObject

@cython.final
cdef class Siblings:
    cdef PyObject **children
    cdef readonly int count
    cdef list kept
