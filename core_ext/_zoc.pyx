"""Zones of control, counted: see zoc.py, which is the only caller."""

from libc.stdint cimport int16_t, int32_t, uint8_t

cdef int LIMIT = 32767


cdef int shift(const int32_t[::1] neighbours, const uint8_t[::1] passes, int16_t[::1] sides, int16_t[::1] counts,
               uint8_t[::1] exerters, int base, int here, int amount) noexcept nogil:
    """Add *amount* to every neighbour that *here* reaches; return 0 and change nothing if a count would leave its range."""
    cdef int side, there, edge, total
    for side in range(6):
        there = neighbours[6 * here + side]
        if there < 0 or passes[6 * here + side] == 0:
            continue
        total = sides[6 * (base + there) + (side + 3) % 6] + amount
        if total < 0 or total > LIMIT or counts[base + there] + amount > LIMIT:
            return 0
    for side in range(6):
        there = neighbours[6 * here + side]
        if there < 0 or passes[6 * here + side] == 0:
            continue
        edge = (side + 3) % 6
        total = sides[6 * (base + there) + edge] + amount
        sides[6 * (base + there) + edge] = <int16_t>total
        counts[base + there] = <int16_t>(counts[base + there] + amount)
        if total:
            exerters[base + there] |= <uint8_t>(1 << edge)
        else:
            exerters[base + there] &= <uint8_t>(~(1 << edge))
    return 1


cdef class Tally:
    """The arrays of one field, held so that a change costs no look-up of them."""
    cdef const int32_t[::1] neighbours
    cdef int16_t[::1] sides
    cdef int16_t[::1] counts
    cdef uint8_t[::1] exerters
    cdef int size

    def __init__(self, const int32_t[::1] neighbours, int16_t[::1] sides, int16_t[::1] counts, uint8_t[::1] exerters):
        self.neighbours = neighbours
        self.sides = sides
        self.counts = counts
        self.exerters = exerters
        self.size = <int>(neighbours.shape[0] // 6)

    def shift(self, const uint8_t[::1] passes, int here, int amount, int layer):
        """Add *amount* round one hex; return whether it was possible."""
        cdef int done
        with nogil:
            done = shift(self.neighbours, passes, self.sides, self.counts, self.exerters, layer * self.size,
                         here, amount)
        return done == 1

    def move(self, const uint8_t[::1] passes, int here, int there, int amount, int layer):
        """Take *amount* from round *here* and add it round *there*; return whether it was possible."""
        cdef int base = layer * self.size
        cdef int done
        with nogil:
            done = shift(self.neighbours, passes, self.sides, self.counts, self.exerters, base, here, -amount)
            if done:
                done = shift(self.neighbours, passes, self.sides, self.counts, self.exerters, base, there, amount)
                if not done:
                    shift(self.neighbours, passes, self.sides, self.counts, self.exerters, base, here, amount)
        return done == 1

    def shift_all(self, const uint8_t[::1] passes, const int32_t[::1] hexes, const int16_t[::1] amounts, int layer):
        """Add the amounts round all *hexes*, or nothing; return the index of the first that does not fit, or -1."""
        cdef int base = layer * self.size
        cdef Py_ssize_t index, undo
        cdef int fault = -1
        with nogil:
            for index in range(hexes.shape[0]):
                if not shift(self.neighbours, passes, self.sides, self.counts, self.exerters, base,
                             hexes[index], amounts[index]):
                    fault = <int>index
                    break
            if fault >= 0:
                for undo in range(fault - 1, -1, -1):
                    shift(self.neighbours, passes, self.sides, self.counts, self.exerters, base,
                          hexes[undo], -amounts[undo])
        return fault
