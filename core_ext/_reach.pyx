"""The search for what a unit can reach: see reach.py, which is the only caller.

A node is ``hex << shift | mode``, so that the order of nodes is that of hexes, then of modes. Every step costs 1 or more: a
node that leaves its bucket is settled, and the order in which one bucket is emptied changes nothing.

Buckets are linked entries of a pool, two numbers each: the node, and the entry after. A node that improves gets a second entry, and the
old one is skipped. Most searches are small: they find room for buckets and pool on the stack, and only a large one asks for memory.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

cimport numpy as cnp

cnp.import_array()

cdef int UNREACHED = 0x7FFFFFFF
cdef int FORBIDDEN = 0x3FFF
cdef enum:
    MODES = 8
    BUCKETS = 256    # on the stack: budgets of up to 63 movement points
    ENTRIES = 1024   # on the stack
    # What a policy says of a hex, in one number: the costs of entering and of leaving, then two flags a mode.
    COST = 0x3FFF
    LEAVE = 14
    STOP = 28
    ZONE = 36


cdef struct Queue:
    # Buckets by cost, each the place of its last entry or -1; pairs of node and the place of the entry before it.
    int32_t* heads
    int32_t* pool
    int used
    int room


cdef int widen(Queue* queue, int more, int32_t* own) noexcept nogil:
    """Make room for *more* entries; *own* is the pool that lies on the stack. Return 0 if there is no memory."""
    cdef int room = max(2 * queue.room, queue.used + more)
    cdef int32_t* pool
    if queue.used + more <= queue.room:
        return 1
    pool = <int32_t*>realloc(NULL if queue.pool == own else queue.pool, 2 * room * sizeof(int32_t))
    if pool == NULL:
        return 0
    if queue.pool == own:
        memcpy(pool, own, 2 * queue.used * sizeof(int32_t))
    queue.pool = pool
    queue.room = room
    return 1


cdef void push(Queue* queue, int node, int total) noexcept nogil:
    """Put *node* into bucket *total*."""
    queue.pool[2 * queue.used] = node
    queue.pool[2 * queue.used + 1] = queue.heads[total]
    queue.heads[total] = queue.used
    queue.used += 1


cdef int step_cost(const int16_t[::1] costs, const int8_t[::1] changes, const int16_t[::1] surcharges, int size, int modes,
                   int here, int side, int mode, int to) noexcept nogil:
    """Return the cost of leaving *here* over *side* in mode *to*, coming in *mode*; FORBIDDEN if the change is not allowed."""
    cdef int change = changes[mode * modes + to]
    cdef int cost = costs[6 * (to * size + here) + side]
    if change < 0:
        return FORBIDDEN
    if change > 0:
        cost += surcharges[(change - 1) * size + here]
    return cost


cdef int settle(const int32_t[::1] neighbours, const int16_t[::1] costs, const int8_t[::1] changes, const int16_t[::1] surcharges,
                const int64_t[::1] hexes, const int32_t* zone_to_zone, int modes, int shift, const int32_t* budgets, int most, int start,
                int32_t[::1] best, int32_t[::1] before, Queue* queue, int32_t* own) noexcept nogil:
    """Find the least cost of every node from the node *start*, and the node before it on the way. Return 0 if there is no memory."""
    cdef Py_ssize_t size = hexes.shape[0]
    cdef Py_ssize_t first, edge
    cdef int entry, node, here, there, mode, to, side, change, leaving, total, bucket, next_
    cdef int64_t facts
    for first in range(best.shape[0]):
        best[first] = UNREACHED
    best[start] = 0
    before[start] = -1
    push(queue, start, 0)
    for bucket in range(most + 1):
        entry = queue.heads[bucket]
        while entry >= 0:
            node = queue.pool[2 * entry]
            entry = queue.pool[2 * entry + 1]
            if best[node] != bucket:
                continue
            here = node >> shift
            mode = node - (here << shift)
            facts = hexes[here]
            if facts >> (STOP + mode) & 1 and node != start:
                continue
            if not widen(queue, 6 * modes, own):
                return 0
            first = 6 * <Py_ssize_t>here
            for to in range(modes):
                change = changes[mode * modes + to]
                if change < 0:
                    continue
                leaving = bucket + <int>(facts >> LEAVE & COST)
                if change > 0:
                    leaving += surcharges[(change - 1) * size + here]
                edge = 6 * (to * size + here)
                for side in range(6):
                    total = leaving + costs[edge + side]
                    if total > budgets[to]:
                        continue
                    there = neighbours[first + side]
                    if there < 0:
                        continue
                    total += <int>(hexes[there] & COST)
                    if facts & hexes[there] & <int64_t>1 << (ZONE + to):
                        total += zone_to_zone[to]
                    if total > budgets[to]:
                        continue
                    next_ = (there << shift) + to
                    if total < best[next_]:
                        best[next_] = total
                        before[next_] = node
                        push(queue, next_, total)
                    elif total == best[next_] and node < before[next_]:
                        before[next_] = node   # of equal ways the one through the lowest node
    return 1


cdef int one_hex(const int32_t[::1] neighbours, const int16_t[::1] costs, const int8_t[::1] changes,
                 const int16_t[::1] surcharges, const int64_t[::1] hexes, const int32_t* zone_to_zone, int modes, int shift,
                 const int32_t* budgets, int start, int32_t[::1] best, int32_t[::1] before) noexcept nogil:
    """Reach each open neighbour of the start that nothing reached, for the whole budget; return the sides as bits."""
    cdef int size = <int>hexes.shape[0]
    cdef int here = start >> shift
    cdef int mode = start - (here << shift)
    cdef int sides = 0
    cdef int side, there, to, extra
    for side in range(6):
        there = neighbours[6 * here + side]
        if there < 0:
            continue
        for to in range(modes):
            if best[(there << shift) + to] != UNREACHED:
                break
        else:
            for to in range(modes):
                extra = <int>(hexes[here] >> LEAVE & COST) + <int>(hexes[there] & COST)
                if hexes[here] & hexes[there] & <int64_t>1 << (ZONE + to):
                    extra += zone_to_zone[to]
                if extra + step_cost(costs, changes, surcharges, size, modes, here, side, mode, to) < FORBIDDEN:
                    best[(there << shift) + to] = budgets[to]
                    before[(there << shift) + to] = start
                    sides |= 1 << side
                    break
    return sides


cdef void flag(const uint8_t[:, ::1] mask, int bit, int64_t[::1] hexes) noexcept nogil:
    """Set a flag of each mode where its row of *mask* is not 0; one row goes for all modes."""
    cdef Py_ssize_t here
    cdef int row
    cdef int64_t bits
    for row in range(<int>mask.shape[0]):
        bits = <int64_t>(0xFF if mask.shape[0] == 1 else 1 << row) << bit
        for here in range(hexes.shape[0]):
            hexes[here] |= bits if mask[row, here] else 0


def pack(const uint8_t[::1] closed, const uint8_t[:, ::1] stop, const uint8_t[:, ::1] zone, const int16_t[::1] enter,
         const int16_t[::1] leave, int64_t[::1] hexes):
    """Put what a policy says of each hex into one number; return the place of the first cost below 0, or -1.

    *stop* and *zone* may be None: nowhere.
    """
    cdef Py_ssize_t here
    cdef int low = 0
    with nogil:
        for here in range(hexes.shape[0]):
            low |= enter[here] | leave[here]
            hexes[here] = COST if closed[here] else min(enter[here], FORBIDDEN)
            hexes[here] |= min(leave[here], FORBIDDEN) << LEAVE
        if stop is not None:
            flag(stop, STOP, hexes)
        if zone is not None:
            flag(zone, ZONE, hexes)
    if low >= 0:
        return -1
    return next(here for here in range(hexes.shape[0]) if enter[here] < 0 or leave[here] < 0)


cdef class Plan:
    """The arrays of one field, held so that a search costs no look-up of them."""
    cdef const int32_t[::1] neighbours
    cdef const int16_t[::1] costs
    cdef const int8_t[::1] changes
    cdef const int16_t[::1] surcharges
    cdef const int64_t[::1] hexes
    cdef int32_t zone_to_zone[MODES]
    cdef int modes, shift

    def __init__(self, const int32_t[::1] neighbours, const int16_t[::1] costs, const int8_t[::1] changes,
                 const int16_t[::1] surcharges, const int64_t[::1] hexes, tuple zone_to_zone, int modes, int shift):
        cdef int mode
        self.neighbours = neighbours
        self.costs = costs
        self.changes = changes
        self.surcharges = surcharges
        self.hexes = hexes
        self.modes = modes
        self.shift = shift
        for mode in range(modes):
            self.zone_to_zone[mode] = zone_to_zone[mode]

    def search(self, int start, int mode, budget, bint free):
        """Return int32[2, nodes], the least cost of each and the node before it, and the sides of the start with but a free hex beyond.

        Return None if there is no such start, mode or budget: who calls says which.
        """
        cdef int32_t limits[MODES]
        cdef int most = 0
        cdef int each
        if not 0 <= start < <int>self.hexes.shape[0] or not 0 <= mode < self.modes:
            return None
        if isinstance(budget, tuple):
            if len(<tuple>budget) != self.modes:
                return None
        for each in range(self.modes):
            limits[each] = (<tuple>budget)[each] if isinstance(budget, tuple) else budget
            if not 0 <= limits[each] < FORBIDDEN:
                return None
            most = max(most, limits[each])
        return self.found((start << self.shift) + mode, limits, most, free)

    cdef tuple found(self, int start, const int32_t* limits, int most, bint free_hex):
        cdef cnp.npy_intp shape[2]
        cdef int32_t heads[BUCKETS]
        cdef int32_t pool[2 * ENTRIES]
        cdef Queue queue
        cdef int bucket, done
        cdef int sides = 0
        shape[0], shape[1] = 2, self.hexes.shape[0] << self.shift
        nodes = cnp.PyArray_SimpleNew(2, shape, cnp.NPY_INT32)   # three times faster than numpy.empty, and reach is short
        cdef int32_t[:, ::1] table = nodes
        queue.heads, queue.pool, queue.used, queue.room = &heads[0], &pool[0], 0, ENTRIES
        with nogil:
            if most >= BUCKETS:
                queue.heads = <int32_t*>malloc((most + 1) * sizeof(int32_t))
            done = queue.heads != NULL
            if done:
                for bucket in range(most + 1):
                    queue.heads[bucket] = -1
                done = settle(self.neighbours, self.costs, self.changes, self.surcharges, self.hexes, self.zone_to_zone, self.modes,
                              self.shift, limits, most, start, table[0], table[1], &queue, pool)
                if done and free_hex:
                    sides = one_hex(self.neighbours, self.costs, self.changes, self.surcharges, self.hexes, self.zone_to_zone,
                                    self.modes, self.shift, limits, start, table[0], table[1])
            if queue.heads != heads:
                free(queue.heads)
            if queue.pool != pool:
                free(queue.pool)
        if not done:
            raise MemoryError
        return nodes, sides
