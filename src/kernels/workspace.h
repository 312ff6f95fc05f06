#pragma once

#include <stddef.h>

/// A workspace is the caller's memory, divided into parts in order. Each part starts at a multiple of 64 bytes, so that
/// kernels read whole lines of the cache.

/// Take `count` elements of `size` bytes from a workspace, 64-byte aligned.
static inline void *sac_take(unsigned char **workspace, size_t count, size_t size)
{
    void *part = *workspace;
    *workspace += (count * size + 63) / 64 * 64;
    return part;
}
