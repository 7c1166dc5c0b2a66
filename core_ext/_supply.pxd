"""What other kernels may use of the search for lines of supply."""

from libc.stdint cimport int32_t, uint8_t


cdef class Net:
    cdef const int32_t[::1] steps
    cdef void fill(self, const int32_t[::1] sources, const int32_t[::1] ahead, const uint8_t[::1] blocked, int limit,
                   int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool) noexcept nogil
    cdef void mend(self, const int32_t[::1] sources, const int32_t[::1] changed, int changes, const uint8_t[::1] blocked, int limit,
                   int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool, int32_t[::1] lost) noexcept nogil
