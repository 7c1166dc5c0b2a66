"""Lines of supply, searched from the sources outwards: see supply.py, which is the only caller.

A key is a distance plus the head start of its source. Every step costs 1 or more, so a hex is settled when its bucket is emptied.
All keys in the queue lie within the ring, whose length is a power of two above the dearest step and the greatest head start.

Buckets are linked entries of a pool, two numbers each: the hex, and the entry after. A hex that improves gets a second entry, and the old one is skipped: as each hexside is
offered once, the pool needs an entry for each, and it measured faster than taking the hex out of its bucket.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t

cdef int UNREACHED = 0x7FFFFFFF
cdef int FORBIDDEN = 0x3FFF
cdef int NOWHERE = -1


cdef int start(const int32_t[::1] sources, const int32_t[::1] ahead, int count, const uint8_t[::1] blocked,
               int32_t[::1] keys, int32_t[::1] onward, int32_t[::1] source_of, int32_t[::1] pool, int32_t[::1] ring) noexcept nogil:
    """Clear the table and queue the first *count* sources that are not blocked; return how many entries are queued."""
    cdef int mask = <int>ring.shape[0] - 1
    cdef int node, slot, index, key
    cdef int used = 0
    for node in range(<int>keys.shape[0]):
        keys[node] = UNREACHED
        onward[node] = NOWHERE
        source_of[node] = NOWHERE
    for slot in range(<int>ring.shape[0]):
        ring[slot] = NOWHERE
    for index in range(count):
        node = sources[index]
        key = 0 if ahead is None else ahead[index]
        if blocked[node] or key >= keys[node]:
            continue
        keys[node] = key
        source_of[node] = index
        pool[2 * used] = node
        pool[2 * used + 1] = ring[key & mask]
        ring[key & mask] = used
        used += 1
    return used


cdef void spread(const int32_t[::1] neighbours, const int16_t[::1] back, const uint8_t[::1] blocked, int limit, int closed_cost,
                 int used, int32_t[::1] keys, int32_t[::1] onward, int32_t[::1] source_of, int32_t[::1] pool, int32_t[::1] ring) noexcept nogil:
    """Settle every hex that the queued ones reach within *limit*; of equal ways the one over the lowest hex stays.

    A hexside that is closed costs *closed_cost*, if that is not 0.
    """
    cdef int mask = <int>ring.shape[0] - 1
    cdef int queued = used
    cdef int key = 0
    cdef int entry, node, there, side, total, room
    while queued > 0:
        entry = ring[key & mask]   # the whole bucket: what is pushed meanwhile costs more, and goes into others
        ring[key & mask] = NOWHERE
        room = min(limit - key, FORBIDDEN - 1)
        while entry >= 0:
            node = pool[2 * entry]
            entry = pool[2 * entry + 1]
            queued -= 1
            if keys[node] != key:
                continue
            if onward[node] >= 0:
                source_of[node] = source_of[onward[node]]
            if blocked[node]:
                continue
            for side in range(6):
                total = back[6 * node + side]
                there = neighbours[6 * node + side]
                if total > room:
                    if total < FORBIDDEN or closed_cost == 0 or closed_cost > room or there < 0:
                        continue
                    total = closed_cost
                total += key
                if total < keys[there]:
                    keys[there] = total
                    onward[there] = node
                    pool[2 * used] = there
                    pool[2 * used + 1] = ring[total & mask]
                    ring[total & mask] = used
                    used += 1
                    queued += 1
                elif total == keys[there] and node < onward[there]:
                    onward[there] = node
        key += 1


cdef int feed(const int32_t[::1] places, const int32_t[::1] limits, const uint8_t[::1] blocked, int links, int feeders,
              int round_, int32_t[::1] keys, int32_t[::1] onward, int32_t[::1] source_of, int32_t[:, ::1] fed, int32_t[::1] order, int32_t[::1] frontier) noexcept nogil:
    """Mark the links that this round feeds; return how many of them can feed others."""
    cdef int link, node
    cdef int found = 0
    for link in range(links):
        node = places[link]
        if fed[0, link] or keys[node] > limits[link]:
            continue
        fed[0, link] = round_
        fed[1, link] = order[source_of[node]]
        fed[2, link] = keys[node]
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
              int32_t[::1] keys, int32_t[::1] onward, int32_t[::1] source_of, int32_t[::1] pool, int32_t[::1] ring):
        """Fill the table: distance, next hex, index of the source. *ahead* may be None: no source has a head start."""
        cdef int used, node
        with nogil:
            used = start(sources, ahead, <int>sources.shape[0], blocked, keys, onward, source_of, pool, ring)
            spread(self.neighbours, self.back, blocked, limit, closed_cost, used, keys, onward, source_of, pool, ring)
            if ahead is not None:
                for node in range(<int>keys.shape[0]):
                    if keys[node] != UNREACHED:
                        keys[node] -= ahead[source_of[node]]

    def chain(self, const int32_t[::1] sources, const int32_t[::1] places, const int32_t[::1] limits, int limit,
              const uint8_t[::1] blocked, int32_t[:, ::1] fed, int32_t[::1] order, int32_t[::1] frontier,
              int32_t[::1] keys, int32_t[::1] onward, int32_t[::1] source_of, int32_t[::1] pool, int32_t[::1] ring):
        """Fill *fed*: the round in which each link is fed (0 never), its feeder (a source or a link after them), the distance."""
        cdef int feeders = <int>sources.shape[0]
        cdef int links = <int>places.shape[0]
        cdef int found, used, index
        cdef int round_ = 1
        with nogil:
            for index in range(feeders):
                order[index] = index
                frontier[index] = sources[index]
            found = feeders
            while found > 0:
                used = start(frontier, None, found, blocked, keys, onward, source_of, pool, ring)
                spread(self.neighbours, self.back, blocked, limit, 0, used, keys, onward, source_of, pool, ring)
                found = feed(places, limits, blocked, links, feeders, round_, keys, onward, source_of, fed, order, frontier)
                round_ += 1
