#pragma once

#include "cloud/loops.h"

/// The memory of clouds: the cubes of a grid that hold points, and what clusters need.
///
/// Cubes are kept by blocks of 8 x 8 x 8, one bit each, so that a block is a line of the cache. A hash table finds
/// blocks and seldom needs to, because neighbours in a picture are mostly in one block. When all points are in, the
/// cubes are numbered: block by block in the order of first points, and within a block by z, y and x. A cube's number
/// is then the count of bits before its own.

enum
{
    SAC_CLOUD_WORDS = 8 // of 64 bits in a block: one for each z
};

/// An entry of the table: open addressing by the block's key. An entry of an older round counts as empty, so that
/// nothing is cleared between clouds.
typedef struct sac_cloud_entry
{
    uint64_t key;
    uint32_t round;
    int block;
} sac_cloud_entry;

struct sac_cloud_memory
{
    int max_points;
    sac_cloud_entry *table; ///< [2^table_bits], twice max_points at least
    int table_bits;
    uint32_t round;
    int blocks, cubes; ///< of this round
    uint64_t *keys;    ///< [max_points] of blocks
    uint64_t *bits;    ///< [max_points, SAC_CLOUD_WORDS] of blocks: cubes that hold points
    int *starts;       ///< [max_points, SAC_CLOUD_WORDS] cubes before a word's
    uint32_t *cube_of; ///< [max_points] of points
    int *counts;       ///< [max_points] points of a cube
    double *sums;      ///< [max_points, 3] of a cube's points; of clusters: the points themselves, cube by cube
    int *firsts;       ///< [max_points] of a cube's points among those
    int *roots;        ///< [max_points] union-find over cubes
    int *sizes;        ///< [max_points] points of a root's cluster, then the cluster's index
    uint64_t *places;  ///< [max_points] sac_cloud_key of cubes
    uint64_t *order;   ///< [max_points] of clusters
};

/// Put points into a grid whose cubes have a side of 1 / inverse: sets blocks, cubes, cube_of and counts. A cube is the
/// floor of the float32 product with `inverse`, or, if it shall be exact, of the double one.
void sac_cloud_fill(sac_cloud_memory *memory, const float *points, int stride, int count, double inverse, bool exact);

/// Three numbers as one, each in -2^20..2^20 - 1. Keys of sums are sums of keys, up to a constant.
static inline uint64_t sac_cloud_key(int x, int y, int z)
{
    const uint64_t middle = 1u << 20, mask = (1u << 21) - 1;
    return (((uint64_t)x + middle) & mask) | (((uint64_t)y + middle) & mask) << 21 |
           (((uint64_t)z + middle) & mask) << 42;
}

/// The key of the block that holds a cube, and the cube's bit in it, 0..511.
static inline uint64_t sac_cloud_block_key(uint64_t key)
{
    const uint64_t low = 7u;
    return key & ~(low | low << 21 | low << 42);
}

static inline uint32_t sac_cloud_bit(uint64_t key)
{
    return (uint32_t)((key & 7) | (key >> 21 & 7) << 3 | (key >> 42 & 7) << 6);
}

/// The number of the cube of a key; -1: it holds no point.
int sac_cloud_find(const sac_cloud_memory *memory, uint64_t key);

/// Write the keys of all cubes to memory->places.
void sac_cloud_list(sac_cloud_memory *memory);

/// Check that a memory serves so many points, that all are finite, and that each lies within 2^20 cubes of a side.
SAC_CHECKED sac_status sac_cloud_check(const sac_cloud_memory *memory, const float *points, int stride, int count,
                                       float side, const char *what);

/// Check that points are finite.
SAC_CHECKED sac_status sac_cloud_check_finite(const float *points, int stride, int count, const char *what);
