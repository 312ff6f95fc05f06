#include <string.h>

#include "attention/form.h"

/// Equal columns, found by hashing their bits into an open table.

size_t sac_distinct_table_size(int n)
{
    size_t size = 64;
    while (size < (size_t)n + (size_t)n / 2) size *= 2;
    return size;
}

static inline uint32_t difference(const float *a, const float *b)
{
    uint32_t bits_a, bits_b;
    memcpy(&bits_a, a, sizeof bits_a);
    memcpy(&bits_b, b, sizeof bits_b);
    return bits_a ^ bits_b;
}

// columns a and b of queries and keys
static inline bool are_equal(const float *queries, const float *keys, int size, int a, int b, int stride)
{
    uint32_t any = 0;
    for (int d = 0; d < size; d++, queries += stride, keys += stride)
        any |= difference(queries + a, queries + b) | difference(keys + a, keys + b);
    return any == 0;
}

// `size` is a constant where this is inlined
static inline __attribute__((always_inline)) int find(sac_distinct *out, const float *queries, const float *keys,
                                                      int size, int n, int stride, uint32_t mask)
{
    int count = 0;
    for (int i = 0; i < n; i++)
    {
        uint32_t hash = out->hash[i], slot = hash & mask;
        int group;
        while ((group = out->table[slot]) >= 0)
        {
            int first = out->first[group];
            if (out->hash[first] == hash && are_equal(queries, keys, size, i, first, stride)) break;
            slot = (slot + 1) & mask;
        }
        if (group < 0)
        {
            out->table[slot] = group = count++;
            out->first[group] = i;
            out->number[group] = 0;
        }
        out->group[i] = group;
        out->number[group]++;
    }
    return count;
}

int sac_find_distinct(sac_distinct *out, const sac_kernels *kernels, const float *queries, const float *keys, int size,
                      int n, int stride)
{
    size_t table_size = sac_distinct_table_size(n);
    memset(out->table, 0xff, table_size * sizeof *out->table); // -1: free
    kernels->hash_columns(out->hash, queries, keys, size, n, stride);
    uint32_t mask = (uint32_t)(table_size - 1);
    if (size == 4) return find(out, queries, keys, 4, n, stride, mask);
    return find(out, queries, keys, size, n, stride, mask);
}
