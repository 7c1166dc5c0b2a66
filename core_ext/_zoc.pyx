"""Zones of control, counted: see zoc.py and theatre.py, which are the only callers."""

from libc.stdint cimport int16_t, int32_t, uint8_t
from libc.string cimport memset

cdef int LIMIT = 32767


cdef int shift(const int32_t[::1] neighbours, const uint8_t[::1] passes, int16_t[:, ::1] sides, int16_t[:, ::1] counts,
               uint8_t[:, ::1] exerters, int layer, int here, int amount) noexcept nogil:
    """Add *amount* to every neighbour that *here* reaches; return 0 and change nothing if a count would leave its range."""
    cdef int side, there, edge, total, sum_
    for side in range(6):
        there = neighbours[6 * here + side]
        if there < 0 or passes[6 * here + side] == 0:
            continue
        edge = side + 3 if side < 3 else side - 3
        total = sides[layer, 6 * there + edge] + amount
        sum_ = counts[layer, there] + amount
        if total < 0 or sum_ > LIMIT:   # a side never counts more than the hex
            if side > 0:
                take_back(neighbours, passes, sides, counts, exerters, layer, here, amount, side)
            return 0
        sides[layer, 6 * there + edge] = <int16_t>total
        counts[layer, there] = <int16_t>sum_
        mark(exerters, layer, there, edge, total)
    return 1


cdef void take_back(const int32_t[::1] neighbours, const uint8_t[::1] passes, int16_t[:, ::1] sides, int16_t[:, ::1] counts,
                    uint8_t[:, ::1] exerters, int layer, int here, int amount, int before) noexcept nogil:
    """Undo what `shift` did over the sides *before* the one that failed."""
    cdef int side, there, edge
    for side in range(before):
        there = neighbours[6 * here + side]
        if there < 0 or passes[6 * here + side] == 0:
            continue
        edge = (side + 3) % 6
        sides[layer, 6 * there + edge] = <int16_t>(sides[layer, 6 * there + edge] - amount)
        counts[layer, there] = <int16_t>(counts[layer, there] - amount)
        mark(exerters, layer, there, edge, sides[layer, 6 * there + edge])


cdef void mark(uint8_t[:, ::1] exerters, int layer, int there, int edge, int total) noexcept nogil:
    """Set the bit of an edge over which anything comes."""
    exerters[layer, there] = <uint8_t>((exerters[layer, there] & ~(1 << edge)) | ((total > 0) << edge))


cdef void erase(int16_t[:, ::1] sides, int16_t[:, ::1] counts, uint8_t[:, ::1] exerters, int layer) noexcept nogil:
    """Take everything away from one layer."""
    memset(&sides[layer, 0], 0, sides.shape[1] * sizeof(int16_t))
    memset(&counts[layer, 0], 0, counts.shape[1] * sizeof(int16_t))
    memset(&exerters[layer, 0], 0, exerters.shape[1])


cdef int exert(const int32_t[::1] neighbours, const uint8_t[::1] passes, const int32_t[::1] hexes, int16_t[:, ::1] sides,
               int16_t[:, ::1] counts, uint8_t[:, ::1] exerters, int layer) noexcept nogil:
    """Add 1 round all *hexes*, as `shift` does, with less to check; return the index of the first that does not fit, or -1."""
    cdef Py_ssize_t index
    cdef int here, side, there, edge
    for index in range(hexes.shape[0]):
        here = hexes[index]
        for side in range(6):
            there = neighbours[6 * here + side]
            if there < 0 or passes[6 * here + side] == 0:
                continue
            if counts[layer, there] == LIMIT:
                return <int>index
            edge = side + 3 if side < 3 else side - 3
            counts[layer, there] += 1
            sides[layer, 6 * there + edge] += 1
            exerters[layer, there] |= <uint8_t>(1 << edge)
    return -1


cdef void compare(const int16_t[::1] counts, int least, uint8_t[::1] mask) noexcept nogil:
    """Put 1 where the count is *least* or more, 0 elsewhere."""
    cdef Py_ssize_t here
    for here in range(counts.shape[0]):
        mask[here] = counts[here] >= least


cdef void put(uint8_t[::1] mask, const int32_t[::1] hexes, int value) noexcept nogil:
    """Put *value* at *hexes*."""
    cdef Py_ssize_t index
    for index in range(hexes.shape[0]):
        mask[hexes[index]] = <uint8_t>value


cdef class Tally:
    """The arrays of one field, held so that a change costs no look-up of them."""

    def __init__(self, const int32_t[::1] neighbours, int16_t[:, ::1] sides, int16_t[:, ::1] counts, uint8_t[:, ::1] exerters):
        self.neighbours = neighbours
        self.sides = sides
        self.counts = counts
        self.exerters = exerters

    cdef int change(self, const uint8_t[::1] passes, int here, int amount, int layer) noexcept nogil:
        return shift(self.neighbours, passes, self.sides, self.counts, self.exerters, layer, here, amount)

    cdef int count_anew(self, const uint8_t[::1] passes, const int32_t[::1] hexes, const int16_t[::1] amounts, int layer) noexcept nogil:
        cdef Py_ssize_t index
        erase(self.sides, self.counts, self.exerters, layer)
        if amounts is None:
            return exert(self.neighbours, passes, hexes, self.sides, self.counts, self.exerters, layer)
        for index in range(hexes.shape[0]):
            if not shift(self.neighbours, passes, self.sides, self.counts, self.exerters, layer, hexes[index], amounts[index]):
                return <int>index
        return -1

    def renew(self, const uint8_t[::1] passes, const int32_t[::1] hexes, const int16_t[::1] amounts, int layer):
        """Count one layer anew, the amounts (1 each if None) round all *hexes*; return the index of the first that does not fit, or -1."""
        cdef int fault
        with nogil:
            fault = self.count_anew(passes, hexes, amounts, layer)
        return fault

    def shift(self, const uint8_t[::1] passes, int here, int amount, int layer):
        """Add *amount* round one hex; return whether it was possible."""
        cdef int done
        with nogil:
            done = shift(self.neighbours, passes, self.sides, self.counts, self.exerters, layer, here, amount)
        return done == 1

    def move(self, const uint8_t[::1] passes, int here, int there, int amount, int layer):
        """Take *amount* from round *here* and add it round *there*; return whether it was possible."""
        cdef int done
        with nogil:
            done = shift(self.neighbours, passes, self.sides, self.counts, self.exerters, layer, here, -amount)
            if done:
                done = shift(self.neighbours, passes, self.sides, self.counts, self.exerters, layer, there, amount)
                if not done:
                    shift(self.neighbours, passes, self.sides, self.counts, self.exerters, layer, here, amount)
        return done == 1

    def shift_all(self, const uint8_t[::1] passes, const int32_t[::1] hexes, const int16_t[::1] amounts, int layer):
        """Add the amounts (1 each if None) round all *hexes*, or nothing; return the index of the first that does not fit, or -1."""
        cdef Py_ssize_t index, undo
        cdef int fault = -1
        with nogil:
            for index in range(hexes.shape[0]):
                if not shift(self.neighbours, passes, self.sides, self.counts, self.exerters, layer,
                             hexes[index], 1 if amounts is None else amounts[index]):
                    fault = <int>index
                    break
            if fault >= 0:
                for undo in range(fault - 1, -1, -1):
                    shift(self.neighbours, passes, self.sides, self.counts, self.exerters, layer,
                          hexes[undo], -1 if amounts is None else -amounts[undo])
        return fault

    def mask(self, int least, int layer, const int32_t[::1] without, const int32_t[::1] also, uint8_t[::1] mask):
        """Fill *mask* with 1 where *least* or more is exerted, with 0 at *without*, then with 1 at *also*; either may be None."""
        with nogil:
            compare(self.counts[layer], least, mask)
            if without is not None:
                put(mask, without, 0)
            if also is not None:
                put(mask, also, 1)
