"""Lines of supply, searched from the sources outwards: see supply.py, which is the only caller.

A key is a distance plus the head start of its source. Every step costs 1 or more, so a node that leaves its bucket is settled.
All keys in the queue lie within the ring, whose length is a power of two above the dearest step and the greatest head start.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t

cdef int UNREACHED = 0x7FFFFFFF
cdef int FORBIDDEN = 0x3FFF
cdef int NOWHERE = -1
cdef enum:
    KEY = 0
    ONWARD = 1
    SOURCE = 2
    AFTER = 3
    BEFORE = 4


cdef void push(int32_t[:, ::1] table, int32_t[::1] ring, int node, int slot) noexcept nogil:
    """Put *node* at the head of a slot of the ring."""
    cdef int after = ring[slot]
    ring[slot] = node
    table[AFTER, node] = after
    table[BEFORE, node] = NOWHERE
    if after >= 0:
        table[BEFORE, after] = node


cdef void pull(int32_t[:, ::1] table, int32_t[::1] ring, int node, int slot) noexcept nogil:
    """Take *node* out of a slot of the ring."""
    cdef int after = table[AFTER, node]
    cdef int before = table[BEFORE, node]
    if before >= 0:
        table[AFTER, before] = after
    else:
        ring[slot] = after
    if after >= 0:
        table[BEFORE, after] = before


cdef int offer(int32_t[:, ::1] table, int32_t[::1] ring, int node, int key, int onward, int source) noexcept nogil:
    """Offer *node* a way at *key*; of equal ways the one over the lowest hex stays. Return 1 if the queue grew."""
    cdef int mask = <int>ring.shape[0] - 1
    cdef int best = table[KEY, node]
    if key > best:
        return 0
    if key == best:
        if onward < table[ONWARD, node]:
            table[ONWARD, node] = onward
        return 0
    if best != UNREACHED:
        pull(table, ring, node, best & mask)
    table[KEY, node] = key
    table[ONWARD, node] = onward
    table[SOURCE, node] = source
    push(table, ring, node, key & mask)
    return 1 if best == UNREACHED else 0


cdef int start(const int32_t[::1] sources, const int32_t[::1] ahead, int first, int last, const uint8_t[::1] blocked,
               int32_t[:, ::1] table, int32_t[::1] ring) noexcept nogil:
    """Clear the table and queue the sources from *first* to before *last*; return how many hexes are queued."""
    cdef int node, slot, index
    cdef int queued = 0
    for node in range(<int>table.shape[1]):
        table[KEY, node] = UNREACHED
    for slot in range(<int>ring.shape[0]):
        ring[slot] = NOWHERE
    for index in range(first, last):
        if not blocked[sources[index]]:
            queued += offer(table, ring, sources[index], ahead[index], NOWHERE, index)
    return queued


cdef void spread(const int32_t[::1] neighbours, const int16_t[::1] back, const uint8_t[::1] blocked, int limit, int closed_cost,
                 int queued, int32_t[:, ::1] table, int32_t[::1] ring) noexcept nogil:
    """Settle every hex that the queued ones reach within *limit*. A hexside that is closed costs *closed_cost*, if that is not 0."""
    cdef int mask = <int>ring.shape[0] - 1
    cdef int key = 0
    cdef int node, there, side, cost
    while queued > 0:
        node = ring[key & mask]
        if node < 0:
            key += 1
            continue
        pull(table, ring, node, key & mask)
        queued -= 1
        if table[ONWARD, node] >= 0:
            table[SOURCE, node] = table[SOURCE, table[ONWARD, node]]
        if blocked[node]:
            continue
        for side in range(6):
            there = neighbours[6 * node + side]
            cost = back[6 * node + side]
            if there < 0:
                continue
            if cost >= FORBIDDEN:
                if closed_cost == 0:
                    continue
                cost = closed_cost
            if cost <= limit - key:
                queued += offer(table, ring, there, key + cost, node, NOWHERE)


cdef int feed(const int32_t[::1] places, const int32_t[::1] limits, const uint8_t[::1] blocked, int links, int feeders,
              int round_, int32_t[:, ::1] table, int32_t[:, ::1] fed, int32_t[::1] order, int32_t[::1] frontier) noexcept nogil:
    """Mark the links that this round feeds; return how many of them can feed others."""
    cdef int link, node
    cdef int found = 0
    for link in range(links):
        node = places[link]
        if fed[0, link] or table[KEY, node] > limits[link]:
            continue
        fed[0, link] = round_
        fed[1, link] = order[table[SOURCE, node]]
        fed[2, link] = table[KEY, node]
    for link in range(links):
        if fed[0, link] == round_ and not blocked[places[link]]:
            frontier[found] = places[link]
            order[found] = feeders + link
            found += 1
    return found


cdef class Net:
    """The arrays of one kind of line, held so that a search costs no look-up of them."""
    cdef const int32_t[::1] neighbours
    cdef const int16_t[::1] back

    def __init__(self, const int32_t[::1] neighbours, const int16_t[::1] back):
        self.neighbours = neighbours
        self.back = back

    def trace(self, const int32_t[::1] sources, const int32_t[::1] ahead, const uint8_t[::1] blocked, int limit, int closed_cost,
              int32_t[:, ::1] table, int32_t[::1] ring):
        """Fill the first three rows of *table*: distance, next hex, index of the source."""
        cdef int queued, node
        cdef int size = <int>table.shape[1]
        with nogil:
            queued = start(sources, ahead, 0, <int>sources.shape[0], blocked, table, ring)
            spread(self.neighbours, self.back, blocked, limit, closed_cost, queued, table, ring)
            for node in range(size):
                if table[KEY, node] == UNREACHED:
                    table[ONWARD, node] = NOWHERE
                    table[SOURCE, node] = NOWHERE
                else:
                    table[KEY, node] -= ahead[table[SOURCE, node]]

    def chain(self, const int32_t[::1] sources, const int32_t[::1] places, const int32_t[::1] limits, int limit,
              const uint8_t[::1] blocked, int32_t[:, ::1] fed, int32_t[::1] order, int32_t[::1] frontier, int32_t[::1] ahead,
              int32_t[:, ::1] table, int32_t[::1] ring):
        """Fill *fed*: the round in which each link is fed (0 never), its feeder (a source or a link after them), the distance."""
        cdef int feeders = <int>sources.shape[0]
        cdef int links = <int>places.shape[0]
        cdef int found, queued, index
        cdef int round_ = 1
        with nogil:
            for index in range(feeders):
                order[index] = index
                frontier[index] = sources[index]
            found = feeders
            while found > 0:
                queued = start(frontier, ahead, 0, found, blocked, table, ring)
                spread(self.neighbours, self.back, blocked, limit, 0, queued, table, ring)
                found = feed(places, limits, blocked, links, feeders, round_, table, fed, order, frontier)
                round_ += 1
