"""Checks that run through whole arrays: see grid.py, which is the only caller."""

from libc.stdint cimport int32_t


def stranger(const int32_t[::1] hexes, int low, int size):
    """Return the place of the first entry outside *low* to *size* - 1; -1 if there is none."""
    cdef Py_ssize_t place
    cdef Py_ssize_t found = -1
    with nogil:
        for place in range(hexes.shape[0]):
            if hexes[place] < low or hexes[place] >= size:
                found = place
                break
    return found
