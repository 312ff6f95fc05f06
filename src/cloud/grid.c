#include <string.h>

#include "base/level.h"
#include "cloud/cloud.h"

/// The grid of cubes that hold points.

enum
{
    RECENT = 16
};

static void begin(sac_cloud_memory *m)
{
    m->blocks = m->cubes = 0;
    if (++m->round != 0) return;
    // after 2^32 clouds entries of the first ones would count again
    memset(m->table, 0, ((size_t)1 << m->table_bits) * sizeof *m->table);
    m->round = 1;
}

// The place of a key in the table: where it is, or the empty entry where it belongs.
static sac_cloud_entry *place_of(const sac_cloud_memory *m, uint64_t key)
{
    const uint32_t mask = (1u << m->table_bits) - 1;
    // Fibonacci hashing: the upper bits of the product depend on all of the key
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> (64 - m->table_bits));
    while (m->table[at].round == m->round && m->table[at].key != key) at = (at + 1) & mask;
    return &m->table[at];
}

// The block of a key, without cubes where it is new.
static int enter(sac_cloud_memory *m, uint64_t key)
{
    sac_cloud_entry *entry = place_of(m, key);
    if (entry->round == m->round) return entry->block;
    *entry = (sac_cloud_entry){key, m->round, m->blocks};
    m->keys[m->blocks] = key;
    memset(m->bits + (ptrdiff_t)m->blocks * SAC_CLOUD_WORDS, 0, SAC_CLOUD_WORDS * sizeof *m->bits);
    return m->blocks++;
}

// The blocks that were seen last, by the lowest bits of their places: most points are in one of them.
typedef struct recent
{
    uint64_t keys[RECENT];
    int blocks[RECENT];
} recent;

static void mark(sac_cloud_memory *m, uint32_t *cube_of, const int *cubes, int count, recent *r)
{
    for (int i = 0; i < count; i++)
    {
        const uint64_t key = sac_cloud_key(cubes[i], cubes[SAC_CLOUD_STRIP + i], cubes[2 * SAC_CLOUD_STRIP + i]);
        const uint64_t block_key = sac_cloud_block_key(key);
        const uint32_t at = (uint32_t)((key >> 3 & 3) | (key >> 24 & 1) << 2 | (key >> 45 & 1) << 3);
        if (block_key != r->keys[at])
        {
            r->keys[at] = block_key;
            r->blocks[at] = enter(m, block_key);
        }
        const uint32_t bit = sac_cloud_bit(key), block = (uint32_t)r->blocks[at];
        m->bits[(size_t)block * SAC_CLOUD_WORDS + (bit >> 6)] |= (uint64_t)1 << (bit & 63);
        cube_of[i] = block << 9 | bit;
    }
}

void sac_cloud_fill(sac_cloud_memory *memory, const float *points, int stride, int count, double inverse, bool exact)
{
    const sac_cloud_loops *loops = SAC_AT_LEVEL(&sac_cloud_loops);
    int cubes[3 * SAC_CLOUD_STRIP];
    recent r;
    for (int i = 0; i < RECENT; i++) r.keys[i] = UINT64_MAX; // no block's
    begin(memory);
    for (int first = 0; first < count; first += SAC_CLOUD_STRIP)
    {
        const int some = count - first < SAC_CLOUD_STRIP ? count - first : SAC_CLOUD_STRIP;
        for (int d = 0; d < 3; d++)
        {
            const float *x = points + d * (ptrdiff_t)stride + first;
            if (exact)
                loops->floors_exactly(cubes + (ptrdiff_t)d * SAC_CLOUD_STRIP, x, inverse, some);
            else
                loops->floors(cubes + (ptrdiff_t)d * SAC_CLOUD_STRIP, x, (float)inverse, some);
        }
        mark(memory, memory->cube_of + first, cubes, some, &r);
    }
    memory->cubes = loops->number(memory->starts, memory->bits, memory->blocks * SAC_CLOUD_WORDS);
    memset(memory->counts, 0, (size_t)memory->cubes * sizeof *memory->counts);
    loops->look_up(memory->cube_of, memory->counts, memory->bits, memory->starts, count);
}

int sac_cloud_find(const sac_cloud_memory *memory, uint64_t key)
{
    const sac_cloud_entry *entry = place_of(memory, sac_cloud_block_key(key));
    if (entry->round != memory->round) return -1;
    const uint32_t bit = sac_cloud_bit(key);
    const ptrdiff_t word = (ptrdiff_t)entry->block * SAC_CLOUD_WORDS + (bit >> 6);
    const uint64_t own = (uint64_t)1 << (bit & 63);
    if (!(memory->bits[word] & own)) return -1;
    return memory->starts[word] + __builtin_popcountll(memory->bits[word] & (own - 1));
}

void sac_cloud_list(sac_cloud_memory *memory)
{
    int cube = 0;
    for (int word = 0; word < memory->blocks * SAC_CLOUD_WORDS; word++)
        for (uint64_t bits = memory->bits[word]; bits; bits &= bits - 1)
        {
            const uint64_t bit = (uint64_t)__builtin_ctzll(bits), z = (uint64_t)(word % SAC_CLOUD_WORDS);
            memory->places[cube++] = memory->keys[word / SAC_CLOUD_WORDS] | (bit & 7) | (bit >> 3) << 21 | z << 42;
        }
}
