"""Lines of supply, searched from the sources outwards: see supply.py and theatre.py, which are the only callers.

A key is a distance plus the head start of its source. Every step costs 1 or more, so a hex is settled when its bucket is emptied.
All keys in the queue lie within the ring, whose length is a power of two above the dearest step and the greatest head start.

Buckets are linked entries of a pool, two numbers each: the hex, and the entry after. A hex that improves gets a second entry, and the old
one is skipped: as each hexside is offered once, the pool needs an entry for each, and it measured faster than taking the hex out of its
bucket. A step is the hex beyond and its cost, side by side: one line of the processor's cache holds a hex's six. Where the board ends it leads
back to its own hex, closed; so the loop asks for the cost alone.

A table has three rows: key, next hex, place of the source.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcmp

cdef enum:
    BLOCK = 64   # bytes of two masks that are compared at once

cdef int UNREACHED = 0x7FFFFFFF
cdef int NOWHERE = -1


cdef int queue(int node, int key, int used, int32_t[::1] ring, int32_t[::1] pool) noexcept nogil:
    """Lay *node* into the bucket of *key*; return how many entries are used."""
    cdef int slot = key & (<int>ring.shape[0] - 1)
    pool[2 * used] = node
    pool[2 * used + 1] = ring[slot]
    ring[slot] = used
    return used + 1


cdef void empty(int32_t[::1] ring) noexcept nogil:
    """Empty all buckets."""
    cdef Py_ssize_t slot
    for slot in range(ring.shape[0]):
        ring[slot] = NOWHERE


cdef void clear(int32_t[::1] keys, int32_t[::1] onward, int32_t[::1] source_of) noexcept nogil:
    """Clear a table."""
    cdef Py_ssize_t node
    for node in range(keys.shape[0]):
        keys[node] = UNREACHED
        onward[node] = NOWHERE
        source_of[node] = NOWHERE


cdef int start(const int32_t[::1] sources, const int32_t[::1] ahead, int count, const uint8_t[::1] blocked,
               int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool) noexcept nogil:
    """Clear the table and queue the first *count* sources that are not blocked; return how many entries are queued."""
    cdef int node, index, key
    cdef int used = 0
    clear(table[0], table[1], table[2])
    empty(ring)
    for index in range(count):
        node = sources[index]
        key = 0 if ahead is None else ahead[index]
        if blocked[node] or key >= table[0, node]:
            continue
        table[0, node] = key
        table[2, node] = index
        used = queue(node, key, used, ring, pool)
    return used


cdef void spread(const int32_t[::1] steps, const uint8_t[::1] blocked, int limit, int used, int32_t[::1] keys, int32_t[::1] onward,
                 int32_t[::1] source_of, int32_t[::1] ring, int32_t[::1] pool) noexcept nogil:
    """Settle every hex that the queued ones reach within *limit*; of equal ways the one over the lowest hex stays.

    The source goes along with the way. A blocked hex gets its line, and is not queued, as it gives none.
    """
    cdef int mask = <int>ring.shape[0] - 1
    cdef int queued = used
    cdef int key = 0
    cdef int entry, node, there, side, total, room, source, slot
    cdef Py_ssize_t first   # of the node's steps: a wide number, so that the compiler unrolls the six
    while queued > 0:
        entry = ring[key & mask]   # the whole bucket: what is pushed meanwhile costs more, and goes into others
        ring[key & mask] = NOWHERE
        room = limit - key
        while entry >= 0:
            node = pool[2 * entry]
            entry = pool[2 * entry + 1]
            queued -= 1
            if keys[node] != key:
                continue
            source = source_of[node]
            first = 12 * <Py_ssize_t>node
            for side in range(6):
                if steps[first + 2 * side + 1] > room:
                    continue
                there = steps[first + 2 * side]
                total = key + steps[first + 2 * side + 1]
                if total < keys[there]:
                    keys[there] = total
                    onward[there] = node
                    source_of[there] = source
                    if blocked[there]:
                        continue
                    slot = total & mask
                    pool[2 * used] = there
                    pool[2 * used + 1] = ring[slot]
                    ring[slot] = used
                    used += 1
                    queued += 1
                elif total == keys[there] and node < onward[there]:
                    onward[there] = node
                    source_of[there] = source
        key += 1


cdef void meet(const int32_t[::1] keys, uint8_t[::1] met) noexcept nogil:
    """Put 1 for each hex that got a line; without a branch, so that the compiler takes many hexes at once."""
    cdef Py_ssize_t node
    for node in range(keys.shape[0]):
        met[node] |= keys[node] != UNREACHED


cdef int feed(const int32_t[::1] places, const int32_t[::1] limits, const uint8_t[::1] blocked, int links, int feeders,
              int round_, const int32_t[:, ::1] table, int32_t[:, ::1] fed, int32_t[:, ::1] ways, int32_t[::1] order,
              int32_t[::1] frontier) noexcept nogil:
    """Mark the links that this round feeds, and write down their ways; return how many of them can feed others."""
    cdef int link, node, hop
    cdef int found = 0
    for link in range(links):
        node = places[link]
        if fed[0, link] or table[0, node] > limits[link]:
            continue
        fed[0, link] = round_
        fed[1, link] = order[table[2, node]]
        fed[2, link] = table[0, node]
        hop = 0
        while node >= 0:   # as each step costs 1 or more, a way has at most as many as its limit allows
            ways[link, hop] = node
            hop += 1
            node = table[1, node]
        fed[3, link] = hop
    for link in range(links):
        if fed[0, link] == round_ and not blocked[places[link]]:
            frontier[found] = places[link]
            order[found] = feeders + link
            found += 1
    return found


# -------------------------------------------------------------------- mending


cdef int compare(const uint8_t[::1] before, const uint8_t[::1] blocked, int32_t[::1] changed) noexcept nogil:
    """Put the hexes that are blocked in one mask and not in the other into *changed*; return how many they are."""
    cdef Py_ssize_t size = blocked.shape[0]
    cdef Py_ssize_t block, node, end
    cdef int changes = 0
    for block from 0 <= block < size by BLOCK:
        end = min(block + BLOCK, size)
        if memcmp(&before[block], &blocked[block], end - block) == 0:
            continue
        for node in range(block, end):
            if (before[node] != 0) != (blocked[node] != 0):
                changed[changes] = <int>node
                changes += 1
    return changes


cdef bint concerns(const int32_t[::1] sources, const int32_t[::1] changed, int changes, const int32_t[:, ::1] table) noexcept nogil:
    """Say whether a search would have met one of the changed hexes: it looks at sources, and at hexes that got a line."""
    cdef Py_ssize_t place
    cdef int index
    for index in range(changes):
        if table[0, changed[index]] != UNREACHED:
            return True
        for place in range(sources.shape[0]):
            if sources[place] == changed[index]:
                return True
    return False


cdef int lose(int32_t[:, ::1] table, int node, int32_t[::1] lost, int count) noexcept nogil:
    """Forget the line of *node*; return how many are forgotten."""
    if table[0, node] == UNREACHED:
        return count
    table[0, node] = UNREACHED
    table[1, node] = NOWHERE
    table[2, node] = NOWHERE
    lost[count] = node
    return count + 1


cdef int lose_all(const int32_t[::1] steps, const int32_t[::1] changed, int changes, const uint8_t[::1] blocked,
                  int32_t[:, ::1] table, int32_t[::1] lost) noexcept nogil:
    """Forget every line through the changed hexes that are blocked now; return how many are in *lost*."""
    cdef int index, node, there, edge
    cdef int count = 0
    cdef int done = 0
    for index in range(changes):
        node = changed[index]
        if not blocked[node]:
            continue
        if table[1, node] == NOWHERE:
            count = lose(table, node, lost, count)   # a source, and one no longer
        for edge in range(6 * node, 6 * node + 6):
            there = steps[2 * edge]
            if there != node and table[1, there] == node:
                count = lose(table, there, lost, count)
    while done < count:
        node = lost[done]
        done += 1
        for edge in range(6 * node, 6 * node + 6):
            there = steps[2 * edge]
            if there != node and table[1, there] == node:
                count = lose(table, there, lost, count)
    return count


cdef int offer(int node, int there, int total, const uint8_t[::1] blocked, int used,
               int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool) noexcept nogil:
    """Offer *there* a line over *node*; queue it if its key or its source is another one now. Return how many entries are used."""
    cdef int source = table[2, node]
    cdef int new = total < table[0, there]
    if not new and (total > table[0, there] or node > table[1, there]):
        return used
    new |= table[2, there] != source   # who traces over it has another source as well
    table[0, there] = total
    table[1, there] = node
    table[2, there] = source
    return queue(there, total, used, ring, pool) if new and not blocked[there] else used


cdef int reopen(const int32_t[::1] sources, const int32_t[::1] changed, int changes, const uint8_t[::1] blocked,
                int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool) noexcept nogil:
    """Queue the changed hexes that are open now and have a line, or are a source again; return how many entries are used."""
    cdef Py_ssize_t place
    cdef int index, node
    cdef int used = 0
    for index in range(changes):
        node = changed[index]
        if blocked[node]:
            continue
        for place in range(sources.shape[0]):
            if sources[place] == node:
                table[0, node] = 0
                table[1, node] = NOWHERE
                table[2, node] = <int>place
                break
        if table[0, node] != UNREACHED:
            used = queue(node, table[0, node], used, ring, pool)
    return used


cdef int regain(const int32_t[::1] steps, const uint8_t[::1] blocked, int limit, const int32_t[::1] lost, int count, int used,
                int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool) noexcept nogil:
    """Offer the *count* hexes in *lost* a line over each neighbour that has one; return how many entries are used."""
    cdef int index, node, there, side, back
    for index in range(count):
        there = lost[index]
        for side in range(6):
            node = steps[2 * (6 * there + side)]
            if node == there or blocked[node] or table[0, node] == UNREACHED:
                continue
            back = 6 * node + (side + 3 if side < 3 else side - 3)
            if steps[2 * back + 1] <= limit - table[0, node]:
                used = offer(node, there, table[0, node] + steps[2 * back + 1], blocked, used, table, ring, pool)
    return used


cdef void spread_again(const int32_t[::1] steps, const uint8_t[::1] blocked, int limit, int used,
                       int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool) noexcept nogil:
    """Settle what is queued over a table that has lines already: as `spread`, but a new source is told on as well.

    The ring must hold every key up to *limit*.
    """
    cdef int left = used
    cdef int key = 0
    cdef int entry, node, edge, before
    while left > 0:
        entry = ring[key]
        ring[key] = NOWHERE
        while entry >= 0:
            node = pool[2 * entry]
            entry = pool[2 * entry + 1]
            left -= 1
            if table[0, node] != key:
                continue
            for edge in range(6 * node, 6 * node + 6):
                if steps[2 * edge + 1] <= limit - key:
                    before = used
                    used = offer(node, steps[2 * edge], key + steps[2 * edge + 1], blocked, used, table, ring, pool)
                    left += used - before
        key += 1


# -------------------------------------------------------------------- what is called


cdef class Net:
    """The steps of one kind of line, held so that a search costs no look-up of them."""

    def __init__(self, const int32_t[::1] steps):
        self.steps = steps

    cdef void fill(self, const int32_t[::1] sources, const int32_t[::1] ahead, const uint8_t[::1] blocked, int limit,
                   int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool) noexcept nogil:
        cdef int used = start(sources, ahead, <int>sources.shape[0], blocked, table, ring, pool)
        spread(self.steps, blocked, limit, used, table[0], table[1], table[2], ring, pool)

    cdef void mend(self, const int32_t[::1] sources, const int32_t[::1] changed, int changes, const uint8_t[::1] blocked, int limit,
                   int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool, int32_t[::1] lost) noexcept nogil:
        cdef int count = lose_all(self.steps, changed, changes, blocked, table, lost)
        cdef int used
        empty(ring)
        used = reopen(sources, changed, changes, blocked, table, ring, pool)
        used = regain(self.steps, blocked, limit, lost, count, used, table, ring, pool)
        spread_again(self.steps, blocked, limit, used, table, ring, pool)

    def trace(self, const int32_t[::1] sources, const int32_t[::1] ahead, const uint8_t[::1] blocked, int limit,
              int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool):
        """Fill the table. *ahead* may be None: no source has a head start."""
        cdef Py_ssize_t node
        with nogil:
            self.fill(sources, ahead, blocked, limit, table, ring, pool)
            if ahead is not None:
                for node in range(table.shape[1]):
                    if table[0, node] != UNREACHED:
                        table[0, node] -= ahead[table[2, node]]

    def differ(self, const int32_t[::1] sources, const uint8_t[::1] before, const uint8_t[::1] blocked, const int32_t[:, ::1] table,
               int32_t[::1] changed):
        """Put into *changed* what is blocked otherwise than *before*; return how many hexes, 0 if the table holds for *blocked* as well."""
        cdef int changes
        with nogil:
            changes = compare(before, blocked, changed)
            if not concerns(sources, changed, changes, table):
                changes = 0
        return changes

    def remake(self, const int32_t[::1] sources, const int32_t[::1] changed, int changes, const uint8_t[::1] blocked, int limit,
               int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool, int32_t[::1] lost):
        """Change the table, which holds the lines with the first *changes* of *changed* blocked otherwise, into that with *blocked*.

        The ring holds every key up to *limit*.
        """
        with nogil:
            self.mend(sources, changed, changes, blocked, limit, table, ring, pool, lost)

    def chain(self, const int32_t[::1] sources, const int32_t[::1] places, const int32_t[::1] limits, int limit,
              const uint8_t[::1] blocked, int32_t[:, ::1] fed, int32_t[:, ::1] ways, int32_t[::1] order, int32_t[::1] frontier,
              uint8_t[::1] met, int32_t[:, ::1] table, int32_t[::1] ring, int32_t[::1] pool):
        """Fill *fed*: the round in which each link is fed (0 never), its feeder (a source or a link after them), the distance, and how many
        hexes its row of *ways* has. Put 1 into *met* for each hex that was looked at.
        """
        cdef int feeders = <int>sources.shape[0]
        cdef int links = <int>places.shape[0]
        cdef int found, used, index
        cdef int round_ = 1
        with nogil:
            for index in range(feeders):
                order[index] = index
                frontier[index] = sources[index]
                met[sources[index]] = 1
            found = feeders
            while found > 0:
                used = start(frontier, None, found, blocked, table, ring, pool)
                spread(self.steps, blocked, limit, used, table[0], table[1], table[2], ring, pool)
                meet(table[0], met)
                found = feed(places, limits, blocked, links, feeders, round_, table, fed, ways, order, frontier)
                round_ += 1
