/* The work of the kernels in plain C: what the machine can do when nobody looks after it. Buckets are stacks in a ring;
   a hex may lie in several, and all but its best entry are skipped. Each function does its work `times` times. */

#include <stdint.h>
#include <string.h>

#define UNREACHED 0x7FFFFFFF
#define FORBIDDEN 0x3FFF

typedef struct { int32_t *entries; int32_t *fill; int depth, mask; } Ring;

static int lay(Ring *ring, int node, int key)
{
    int slot = key & ring->mask;
    ring->entries[slot * ring->depth + ring->fill[slot]++] = node;
    return 1;
}

static void zones(int size, const int32_t *neighbours, const uint8_t *passes, const int32_t *units, int count,
                  int16_t *counts, int16_t *sides)
{
    memset(counts, 0, size * sizeof *counts);
    memset(sides, 0, 6 * size * sizeof *sides);
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 6; side++) {
            int there = neighbours[6 * units[i] + side];
            if (there < 0 || !passes[6 * units[i] + side])
                continue;
            counts[there]++;
            sides[6 * there + (side + 3) % 6]++;
        }
}

static void supply(int size, const int32_t *neighbours, const int16_t *back, const uint8_t *blocked, const int32_t *sources,
                   int count, int limit, int32_t *distance, int32_t *onward, int32_t *source, Ring *ring)
{
    int queued = 0;
    for (int i = 0; i < size; i++) {
        distance[i] = UNREACHED;
        onward[i] = source[i] = -1;
    }
    memset(ring->fill, 0, (ring->mask + 1) * sizeof *ring->fill);
    for (int i = 0; i < count; i++)
        if (!blocked[sources[i]] && distance[sources[i]] == UNREACHED) {
            distance[sources[i]] = 0;
            source[sources[i]] = i;
            queued += lay(ring, sources[i], 0);
        }
    for (int key = 0; queued > 0; key++) {
        int slot = key & ring->mask;
        while (ring->fill[slot] > 0) {
            int node = ring->entries[slot * ring->depth + --ring->fill[slot]];
            queued--;
            if (distance[node] != key)
                continue;
            if (onward[node] >= 0)
                source[node] = source[onward[node]];
            if (blocked[node])
                continue;
            for (int side = 0; side < 6; side++) {
                int there = neighbours[6 * node + side], cost = back[6 * node + side];
                if (there < 0 || cost >= FORBIDDEN || key + cost > limit)
                    continue;
                if (key + cost < distance[there]) {
                    distance[there] = key + cost;
                    onward[there] = node;
                    queued += lay(ring, there, key + cost);
                } else if (key + cost == distance[there] && node < onward[there])
                    onward[there] = node;
            }
        }
    }
}

/* Zones of both sides, then what they block, then both sides' supply. */
void whole(int times, int size, const int32_t *neighbours, const uint8_t *passes, const int16_t *back, int limit,
           const int32_t *const *units, const int32_t *unit_counts, const int32_t *const *sources, const int32_t *source_counts,
           int16_t *counts, int16_t *sides, uint8_t *blocked, int32_t *table, int32_t *entries, int32_t *fill, int mask)
{
    Ring ring = {entries, fill, 6 * size, mask};
    while (times-- > 0) {
        for (int side = 0; side < 2; side++)
            zones(size, neighbours, passes, units[side], unit_counts[side], counts + side * size, sides + 6 * side * size);
        for (int side = 0; side < 2; side++) {
            int32_t *own = table + 3 * side * size;
            for (int i = 0; i < size; i++)
                blocked[i] = counts[(1 - side) * size + i] > 0;
            for (int i = 0; i < unit_counts[side]; i++)
                blocked[units[side][i]] = 0;
            for (int i = 0; i < unit_counts[1 - side]; i++)
                blocked[units[1 - side][i]] = 1;
            supply(size, neighbours, back, blocked, sources[side], source_counts[side], limit, own, own + size, own + 2 * size, &ring);
        }
    }
}

/* What one unit reaches from each of the starts in turn; the costs hold all that a step costs. */
void reach(int times, int size, const int32_t *neighbours, const int16_t *costs, const int32_t *starts, int count, int budget,
           int32_t *best, int32_t *before, int32_t *entries, int32_t *fill)
{
    while (times-- > 0)
        for (int each = 0; each < count; each++) {
            for (int i = 0; i < size; i++)
                best[i] = UNREACHED;
            memset(fill, 0, (budget + 1) * sizeof *fill);
            best[starts[each]] = 0;
            before[starts[each]] = -1;
            entries[fill[0]++] = starts[each];
            for (int key = 0; key <= budget; key++)
                while (fill[key] > 0) {
                    int node = entries[key * 6 * size + --fill[key]];
                    if (best[node] != key)
                        continue;
                    for (int side = 0; side < 6; side++) {
                        int there = neighbours[6 * node + side], total = key + costs[6 * node + side];
                        if (there < 0 || total > budget)
                            continue;
                        if (total < best[there]) {
                            best[there] = total;
                            before[there] = node;
                            entries[total * 6 * size + fill[total]++] = there;
                        } else if (total == best[there] && node < before[there])
                            before[there] = node;
                    }
                }
        }
}
