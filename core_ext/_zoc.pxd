"""What other kernels may use of the counted zones."""

from libc.stdint cimport int16_t, int32_t, uint8_t


cdef class Tally:
    cdef const int32_t[::1] neighbours
    cdef int16_t[:, ::1] sides
    cdef int16_t[:, ::1] counts
    cdef uint8_t[:, ::1] exerters
    cdef int change(self, const uint8_t[::1] passes, int here, int amount, int layer) noexcept nogil
    cdef int count_anew(self, const uint8_t[::1] passes, const int32_t[::1] hexes, const int16_t[::1] amounts, int layer) noexcept nogil
