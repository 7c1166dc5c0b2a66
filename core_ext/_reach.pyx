"""The search for what a unit can reach: see reach.py, which is the only caller.

A node is ``hex << shift | mode``, so that the order of nodes is that of hexes, then of modes. Every step costs 1 or more: a
node that leaves its bucket is settled, and the order in which one bucket is emptied changes nothing.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t

cdef int UNREACHED = 0x7FFFFFFF
cdef int FORBIDDEN = 0x3FFF
cdef enum:
    MODES = 8
    # What a policy says of a hex, in one number: the cost of entering, two flags, the cost of leaving.
    ENTER = 0x3FFF
    STOP = 0x4000
    ZONE = 0x8000
    LEAVE = 16


cdef void push(int32_t[::1] heads, int32_t[::1] links, int node, int total) noexcept nogil:
    """Put *node* at the head of bucket *total*; of its two links the first is the node after, the second the one before."""
    cdef int after = heads[total]
    heads[total] = node
    links[2 * node] = after
    links[2 * node + 1] = -1
    if after >= 0:
        links[2 * after + 1] = node


cdef void pull(int32_t[::1] heads, int32_t[::1] links, int node, int total) noexcept nogil:
    """Take *node* out of bucket *total*."""
    cdef int after = links[2 * node]
    cdef int before = links[2 * node + 1]
    if before >= 0:
        links[2 * before] = after
    else:
        heads[total] = after
    if after >= 0:
        links[2 * after + 1] = before


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


cdef void relax(int32_t[:, ::1] nodes, int32_t[::1] heads, int32_t[::1] links, int node, int there, int total) noexcept nogil:
    """Offer *there* the way through *node* at *total*; of equal ways the one through the lowest node stays."""
    cdef int best = nodes[0, there]
    if total > best:
        return
    if total == best:
        if node < nodes[1, there]:
            nodes[1, there] = node
        return
    if best != UNREACHED:
        pull(heads, links, there, best)
    nodes[0, there] = total
    nodes[1, there] = node
    push(heads, links, there, total)


cdef void settle(const int32_t[::1] neighbours, const int16_t[::1] costs, const int8_t[::1] changes, const int16_t[::1] surcharges,
                 const int32_t[::1] hexes, int zone_to_zone, int modes, int shift, const int32_t* budgets, int most, int start,
                 int32_t[:, ::1] nodes, int32_t[::1] links, int32_t[::1] heads) noexcept nogil:
    """Find the least cost of every node from the node *start*, and the node before it on the way."""
    cdef int size = <int>hexes.shape[0]
    cdef int bucket, node, here, there, mode, to, side, change, edge, leaving, total
    for node in range(<int>nodes.shape[1]):
        nodes[0, node] = UNREACHED
    for bucket in range(most + 1):
        heads[bucket] = -1
    nodes[0, start] = 0
    nodes[1, start] = -1
    push(heads, links, start, 0)
    for bucket in range(most + 1):
        while heads[bucket] >= 0:
            node = heads[bucket]
            pull(heads, links, node, bucket)
            here = node >> shift
            mode = node - (here << shift)
            if hexes[here] & STOP and node != start:
                continue
            for to in range(modes):
                change = changes[mode * modes + to]
                if change < 0:
                    continue
                leaving = bucket + (hexes[here] >> LEAVE)
                if change > 0:
                    leaving += surcharges[(change - 1) * size + here]
                edge = 6 * (to * size + here)
                for side in range(6):
                    there = neighbours[6 * here + side]
                    total = leaving + costs[edge + side]
                    if there < 0 or total > budgets[to]:
                        continue
                    total += hexes[there] & ENTER
                    if hexes[here] & hexes[there] & ZONE:
                        total += zone_to_zone
                    if total <= budgets[to]:
                        relax(nodes, heads, links, node, (there << shift) + to, total)


cdef int one_hex(const int32_t[::1] neighbours, const int16_t[::1] costs, const int8_t[::1] changes,
                 const int16_t[::1] surcharges, const int32_t[::1] hexes, int zone_to_zone, int modes, int shift,
                 const int32_t* budgets, int start, int32_t[:, ::1] nodes) noexcept nogil:
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
            if nodes[0, (there << shift) + to] != UNREACHED:
                break
        else:
            extra = (hexes[here] >> LEAVE) + (hexes[there] & ENTER)
            if hexes[here] & hexes[there] & ZONE:
                extra += zone_to_zone
            for to in range(modes):
                if extra + step_cost(costs, changes, surcharges, size, modes, here, side, mode, to) < FORBIDDEN:
                    nodes[0, (there << shift) + to] = budgets[to]
                    nodes[1, (there << shift) + to] = start
                    sides |= 1 << side
                    break
    return sides


def pack(const uint8_t[::1] closed, const uint8_t[::1] stop, const uint8_t[::1] zone, const int16_t[::1] enter,
         const int16_t[::1] leave, int32_t[::1] hexes):
    """Put what a policy says of each hex into one number; return the place of the first cost below 0, or -1."""
    cdef int here, word
    cdef int fault = -1
    with nogil:
        for here in range(<int>hexes.shape[0]):
            if enter[here] < 0 or leave[here] < 0:
                fault = here
                break
            word = ENTER if closed[here] else min(enter[here], FORBIDDEN)
            word |= min(leave[here], FORBIDDEN) << LEAVE
            if stop[here]:
                word |= STOP
            if zone[here]:
                word |= ZONE
            hexes[here] = word
    return fault


cdef class Plan:
    """The arrays of one field, held so that a search costs no look-up of them."""
    cdef const int32_t[::1] neighbours
    cdef const int16_t[::1] costs
    cdef const int8_t[::1] changes
    cdef const int16_t[::1] surcharges
    cdef const int32_t[::1] hexes
    cdef int zone_to_zone, modes, shift

    def __init__(self, const int32_t[::1] neighbours, const int16_t[::1] costs, const int8_t[::1] changes,
                 const int16_t[::1] surcharges, const int32_t[::1] hexes, int zone_to_zone, int modes, int shift):
        self.neighbours = neighbours
        self.costs = costs
        self.changes = changes
        self.surcharges = surcharges
        self.hexes = hexes
        self.zone_to_zone = zone_to_zone
        self.modes = modes
        self.shift = shift

    def search(self, int start, tuple budgets, bint free, int32_t[:, ::1] nodes, int32_t[::1] links, int32_t[::1] heads):
        """Fill *nodes* (cost, node before); return the sides of the start over which only the free hex was reached."""
        cdef int32_t limits[MODES]
        cdef int mode
        cdef int most = <int>heads.shape[0] - 1
        cdef int sides = 0
        for mode in range(self.modes):
            limits[mode] = budgets[mode]
        with nogil:
            settle(self.neighbours, self.costs, self.changes, self.surcharges, self.hexes, self.zone_to_zone, self.modes,
                   self.shift, limits, most, start, nodes, links, heads)
            if free:
                sides = one_hex(self.neighbours, self.costs, self.changes, self.surcharges, self.hexes, self.zone_to_zone,
                                self.modes, self.shift, limits, start, nodes)
        return sides
