"""Zones and supply of two sides in one go: see theatre.py, which is the only caller.

The work itself is that of _zoc.pyx and _supply.pyx.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t
from libc.string cimport memset

from core_ext._supply cimport Net
from core_ext._zoc cimport Tally

cdef enum:
    TOUCHED = 14   # what one stack's move can change: two hexes, and those round them


cdef void look(const int16_t[::1] own, const int16_t[::1] enemies, const int16_t[::1] zone, int16_t at_least, int16_t lifted,
               uint8_t[::1] blocked) noexcept nogil:
    """Put 1 where an enemy stands or his zone counts, 0 elsewhere; without a branch, so that the compiler takes many hexes at once."""
    cdef Py_ssize_t here
    for here in range(blocked.shape[0]):
        blocked[here] = (enemies[here] > 0) | ((zone[here] >= at_least) & ((own[here] <= 0) | (lifted == 0)))


cdef class Camp:
    """One side: what is known of it, and the arrays that are kept for it."""
    cdef const int32_t[::1] neighbours
    cdef Tally tally
    cdef Net net
    cdef const uint8_t[::1] passes
    cdef int16_t[::1] standing
    cdef uint8_t[::1] blocked
    cdef int32_t[:, ::1] table
    cdef const int32_t[::1] sources
    cdef int limit, at_least
    cdef bint lifted

    def __init__(self, const int32_t[::1] neighbours, Tally tally, Net net, const uint8_t[::1] passes, int16_t[::1] standing,
                 uint8_t[::1] blocked, int32_t[:, ::1] table, int limit, int at_least, bint lifted):
        self.neighbours = neighbours
        self.tally = tally
        self.net = net
        self.passes = passes
        self.standing = standing
        self.blocked = blocked
        self.table = table
        self.limit = limit
        self.at_least = at_least
        self.lifted = lifted

    cdef int stand(self, const int32_t[::1] stacks) noexcept nogil:
        """Put stacks where they are said to be, with their zones; return the index of the first that does not fit, or -1."""
        cdef Py_ssize_t index
        cdef int size = <int>self.standing.shape[0]
        cdef int fault
        for index in range(stacks.shape[0]):
            if stacks[index] < 0 or stacks[index] >= size:
                return <int>index
        fault = self.tally.count_anew(self.passes, stacks, None, 0)
        if fault >= 0:
            return fault
        memset(&self.standing[0], 0, size * sizeof(int16_t))
        for index in range(stacks.shape[0]):
            self.standing[stacks[index]] += 1
        return -1

    cdef int is_blocked(self, const int16_t[::1] enemies, const int16_t[::1] zone, int here) noexcept nogil:
        """Say whether an enemy stands in a hex, or his zone counts there."""
        return enemies[here] > 0 or (zone[here] >= self.at_least and not (self.lifted and self.standing[here] > 0))

    cdef void look(self, Camp enemy) noexcept nogil:
        """Find which hexes are blocked, from nothing."""
        look(self.standing, enemy.standing, enemy.tally.counts[0], self.at_least, self.lifted, self.blocked)

    cdef int look_again(self, Camp enemy, const int32_t* touched, int count, int32_t[::1] changed) noexcept nogil:
        """Find which of the *touched* hexes are blocked; return how many are otherwise than before, put into *changed*."""
        cdef const int16_t[::1] zone = enemy.tally.counts[0]
        cdef int index, here, now
        cdef int changes = 0
        for index in range(count):
            here = touched[index]
            now = self.is_blocked(enemy.standing, zone, here)
            if now != self.blocked[here]:
                self.blocked[here] = <uint8_t>now
                changed[changes] = here
                changes += 1
        return changes

    def supply_from(self, const int32_t[::1] sources not None):
        """Say from where supply comes; return the index of the first that is not on the board, or -1."""
        cdef Py_ssize_t index
        for index in range(sources.shape[0]):
            if sources[index] < 0 or sources[index] >= self.standing.shape[0]:
                return index
        self.sources = sources
        return -1


cdef class Pair:
    """Both sides, and what their searches write in."""
    cdef Camp first, second
    cdef int32_t[::1] ring, pool, changed, lost
    cdef bint mends

    def __init__(self, Camp first, Camp second, int32_t[::1] ring, int32_t[::1] pool, int32_t[::1] changed, int32_t[::1] lost, bint mends):
        self.first = first
        self.second = second
        self.ring = ring
        self.pool = pool
        self.changed = changed
        self.lost = lost
        self.mends = mends

    def lay_out(self, const int32_t[::1] one not None, const int32_t[::1] other not None):
        """Make everything anew; return a side (0, 1) and the index of its first stack that does not fit, -1 if all do."""
        cdef int fault
        cdef int side = 0
        with nogil:
            fault = self.first.stand(one)
            if fault < 0:
                side = 1
                fault = self.second.stand(other)
            if fault < 0:
                self.first.look(self.second)
                self.fill(self.first)
                self.second.look(self.first)
                self.fill(self.second)
        return side, fault

    cdef void fill(self, Camp camp) noexcept nogil:
        camp.net.fill(camp.sources, None, camp.blocked, camp.limit, camp.table, self.ring, self.pool)

    def move(self, int side, int here, int there):
        """Take one stack of a side from *here* and put one *there*, either -1 for nowhere; return whether it was possible."""
        cdef Camp own = self.second if side else self.first
        cdef Camp enemy = self.first if side else self.second
        cdef int32_t touched[TOUCHED]
        cdef int count, near
        if here >= 0 and own.standing[here] == 0:
            return False
        with nogil:
            if here >= 0:
                own.tally.change(own.passes, here, -1, 0)
            if there >= 0 and not own.tally.change(own.passes, there, 1, 0):
                if here >= 0:
                    own.tally.change(own.passes, here, 1, 0)
                count = -1
            else:
                if here >= 0:
                    own.standing[here] -= 1
                if there >= 0:
                    own.standing[there] += 1
                near = around(own.neighbours, here, there, touched, &count)
                self.follow(own, enemy, touched, near)
                self.follow(enemy, own, touched, count)
        return count >= 0

    cdef void follow(self, Camp camp, Camp enemy, const int32_t* touched, int count) noexcept nogil:
        """Mend a side's lines after something changed at the *touched* hexes."""
        cdef int changes = camp.look_again(enemy, touched, count, self.changed)
        if changes == 0:
            return
        if self.mends:
            camp.net.mend(camp.sources, self.changed, changes, camp.blocked, camp.limit, camp.table, self.ring, self.pool, self.lost)
        else:
            self.fill(camp)


cdef int around(const int32_t[::1] neighbours, int here, int there, int32_t* touched, int* count) noexcept nogil:
    """Put the two hexes, then those round them, into *touched*; return how many the former are, and all by *count*."""
    cdef int near, side, next_, each
    cdef int used = 0
    if here >= 0:
        touched[used] = here
        used += 1
    if there >= 0:
        touched[used] = there
        used += 1
    near = used
    for each in range(near):
        for side in range(6):
            next_ = neighbours[6 * touched[each] + side]
            if next_ >= 0:
                touched[used] = next_
                used += 1
    count[0] = used
    return near
