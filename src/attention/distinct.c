#include <string.h>

#include "attention/form.h"
#include "kernels/elementary.h"

/// Find equal columns. Most equal columns are neighbours and are found by comparing each column with the next. The runs
/// that this leaves are compared by hashing their bits into an open table.

size_t sac_distinct_table_size(int capacity)
{
    size_t size = 64;
    while (size < (size_t)capacity + (size_t)capacity / 2) size *= 2;
    return size;
}

// Compare columns a and b of queries and keys.
static inline bool are_equal(const float *queries, const float *keys, int size, int a, int b, int stride)
{
    uint32_t any = 0;
    for (int d = 0; d < size; d++, queries += stride, keys += stride)
        any |= sac_differing_bits(queries[a], queries[b]) | sac_differing_bits(keys[a], keys[b]);
    return any == 0;
}

// Find the first column of each run of equal columns. The processor cannot predict whether a column begins a run, so
// the loop has no branch that depends on it.
static int find_runs(sac_distinct *out, const sac_kernels *kernels, const float *queries, const float *keys, int size,
                     int n, int stride)
{
    uint32_t *changes = out->hash;
    kernels->compare_columns(changes, queries, keys, size, n, stride);
    int count = 0;
    for (int i = 0; i < n; i++)
    {
        out->run_first[count] = i;
        count += changes[i] != 0;
        out->run[i] = count - 1;
    }
    out->run_first[count] = n;
    return count;
}

// `size` is a constant where this function is inlined, so that the loop over it is unrolled.
static inline __attribute__((always_inline)) int find(sac_distinct *out, const float *queries, const float *keys,
                                                      int size, int run_count, int stride, uint32_t mask, int capacity)
{
    int count = 0;
    for (int run = 0; run < run_count; run++)
    {
        int i = out->run_first[run], group;
        uint32_t hash = out->hash[i], slot = hash & mask;
        while ((group = out->table[slot]) >= 0)
        {
            int first = out->first[group];
            if (out->hash[first] == hash && are_equal(queries, keys, size, i, first, stride)) break;
            slot = (slot + 1) & mask;
        }
        if (group < 0)
        {
            if (count == capacity) return -1;
            out->table[slot] = group = count++;
            out->first[group] = i;
            out->number[group] = 0;
        }
        out->group_of_run[run] = group;
        out->number[group] += out->run_first[run + 1] - i;
    }
    return count;
}

int sac_find_distinct(sac_distinct *out, const sac_kernels *kernels, const float *queries, const float *keys, int size,
                      int n, int stride, int capacity)
{
    int runs = find_runs(out, kernels, queries, keys, size, n, stride);
    size_t table_size = sac_distinct_table_size(capacity);
    memset(out->table, 0xff, table_size * sizeof *out->table); // -1 marks a free place
    kernels->hash_columns(out->hash, queries, keys, size, n, stride);
    uint32_t mask = (uint32_t)(table_size - 1);
    if (size == 4) return find(out, queries, keys, 4, runs, stride, mask, capacity);
    return find(out, queries, keys, size, runs, stride, mask, capacity);
}
