#pragma once

#include "cloud/loops.h"

/// The memory of clouds: a table of the cubes of a grid that hold points, and what clusters need.

/// An entry of the table: open addressing by the cube's key. An entry of an older round counts as empty, so that
/// nothing is cleared between clouds.
typedef struct sac_cloud_entry
{
    uint64_t key;
    uint32_t round;
    int cube;
} sac_cloud_entry;

struct sac_cloud_memory
{
    int max_points;
    sac_cloud_entry *table; ///< [2^bits], twice max_points at least
    int bits;
    uint32_t round;
    int cubes;       ///< of this round
    uint64_t *keys;  ///< [max_points] of cubes
    int *counts;     ///< [max_points] points of a cube
    int *cube_of;    ///< [max_points] of points
    double *sums;    ///< [max_points, 3] of a cube's points; of clusters: the points themselves, cube by cube
    int *firsts;     ///< [max_points] of a cube's points among those
    int *roots;      ///< [max_points] union-find over cubes
    int *sizes;      ///< [max_points] points of a root's cluster, then the cluster's index
    uint64_t *order; ///< [max_points] of clusters
};

/// Begin a new grid.
void sac_cloud_begin(sac_cloud_memory *memory);

/// The key of a cube from its three numbers, each in -2^20..2^20 - 1.
static inline uint64_t sac_cloud_key(int64_t x, int64_t y, int64_t z)
{
    const uint64_t middle = 1u << 20, mask = (1u << 21) - 1;
    return (((uint64_t)x + middle) & mask) | (((uint64_t)y + middle) & mask) << 21 |
           (((uint64_t)z + middle) & mask) << 42;
}

/// The place of a key in the table: where it is, or the empty entry where it belongs.
static inline sac_cloud_entry *sac_cloud_place(const sac_cloud_memory *memory, uint64_t key)
{
    const uint32_t mask = (1u << memory->bits) - 1;
    // Fibonacci hashing: the upper bits of the product depend on all of the key
    uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> (64 - memory->bits));
    while (memory->table[at].round == memory->round && memory->table[at].key != key) at = (at + 1) & mask;
    return &memory->table[at];
}

/// The cube of a key; -1: none.
static inline int sac_cloud_find(const sac_cloud_memory *memory, uint64_t key)
{
    const sac_cloud_entry *entry = sac_cloud_place(memory, key);
    return entry->round == memory->round ? entry->cube : -1;
}

/// The same, with a new cube without points where there is none.
static inline int sac_cloud_enter(sac_cloud_memory *memory, uint64_t key)
{
    sac_cloud_entry *entry = sac_cloud_place(memory, key);
    if (entry->round == memory->round) return entry->cube;
    *entry = (sac_cloud_entry){key, memory->round, memory->cubes};
    memory->keys[memory->cubes] = key;
    memory->counts[memory->cubes] = 0;
    return memory->cubes++;
}

/// Check that a memory serves so many points, that all are finite, and that each lies within 2^20 cubes of a side.
SAC_CHECKED sac_status sac_cloud_check(const sac_cloud_memory *memory, const float *points, int stride, int count,
                                       float side, const char *what);

/// Check that points are finite.
SAC_CHECKED sac_status sac_cloud_check_finite(const float *points, int stride, int count, const char *what);
