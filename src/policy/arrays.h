#pragma once

#include "saccade/base.h"

/// The arrays of a state, which lie behind each other in one block of memory.

/// One of them: where its pointer is, elements, bytes of one.
typedef struct sac_array
{
    void **pointer;
    size_t count, size;
} sac_array;

#define SAC_ARRAY(owner, field, count)                                    \
    {                                                                     \
        (void **)&(owner)->field, (size_t)(count), sizeof *(owner)->field \
    }
#define SAC_BYTES(owner, field, count) \
    {                                  \
        &(owner)->field, (count), 1    \
    }

/// Set the pointers to parts of `block`, each aligned to 64 bytes; NULL: only count.
/// @return the bytes that they take together
static inline size_t sac_arrays_place(const sac_array *arrays, size_t count, unsigned char *block)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
    {
        if (block) *arrays[i].pointer = block + used;
        used += (arrays[i].count * arrays[i].size + 63) / 64 * 64;
    }
    return used;
}
