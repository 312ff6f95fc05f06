#include <string.h>

#include "attention/form.h"

/// Equal columns, found by hashing their bits into an open table.

size_t sac_distinct_table_size(int n)
{
    size_t size = 64;
    while (size < 2 * (size_t)n) size *= 2;
    return size;
}

static uint32_t bits_at(const float *x, int at)
{
    uint32_t bits;
    memcpy(&bits, x + at, sizeof bits);
    return bits;
}

static uint64_t hash_column(const float *queries, const float *keys, int size, int column, int stride)
{
    uint64_t hash = 0;
    for (int d = 0; d < size; d++)
    {
        uint64_t pair = bits_at(queries, d * stride + column) | (uint64_t)bits_at(keys, d * stride + column) << 32;
        hash = (hash ^ (hash >> 29) ^ pair) * UINT64_C(0x9E3779B97F4A7C15);
    }
    return hash ^ (hash >> 32);
}

static bool equal_columns(const float *queries, const float *keys, int size, int a, int b, int stride)
{
    uint32_t difference = 0;
    for (int d = 0; d < size; d++)
        difference |= (bits_at(queries, d * stride + a) ^ bits_at(queries, d * stride + b)) |
                      (bits_at(keys, d * stride + a) ^ bits_at(keys, d * stride + b));
    return difference == 0;
}

int sac_find_distinct(int *group, int *first, const float *queries, const float *keys, int size, int n, int stride,
                      int32_t *table)
{
    size_t mask = sac_distinct_table_size(n) - 1;
    memset(table, 0xff, (mask + 1) * sizeof *table); // -1: free
    int count = 0;
    for (int i = 0; i < n; i++)
    {
        size_t slot = hash_column(queries, keys, size, i, stride) & mask;
        while (table[slot] >= 0 && !equal_columns(queries, keys, size, i, first[table[slot]], stride))
            slot = (slot + 1) & mask;
        if (table[slot] < 0)
        {
            table[slot] = count;
            first[count++] = i;
        }
        group[i] = table[slot];
    }
    return count;
}
