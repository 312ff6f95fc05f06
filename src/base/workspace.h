#pragma once

#include <stddef.h>

/// A workspace is memory of the caller's that is cut into parts, one behind the other. Each part starts at a multiple
/// of 64 bytes, so that kernels read whole lines of the cache.
///
/// One function cuts and measures: without memory every part is NULL, and `used` ends as the bytes that are needed.
///
///     static void cut(parts *p, int count, sac_workspace *workspace)
///     {
///         p->scores = sac_take(workspace, (size_t)count, sizeof(float));
///     }
///
/// Parts whose contents nobody reads later can be taken from a second workspace, so that several objects that never
/// work at the same time share them, and what one has written is still in the cache for the next.
typedef struct sac_workspace
{
    unsigned char *memory;         ///< 64-byte aligned; NULL: it is only measured
    size_t used;                   ///< bytes, a multiple of 64
    struct sac_workspace *scratch; ///< for sac_take_scratch; NULL: that takes from this one
} sac_workspace;

/// The next `count` elements of `size` bytes.
static inline void *sac_take(sac_workspace *workspace, size_t count, size_t size)
{
    void *part = workspace->memory ? workspace->memory + workspace->used : NULL;
    workspace->used += (count * size + 63) / 64 * 64;
    return part;
}

/// The same for contents that last no longer than a call.
static inline void *sac_take_scratch(sac_workspace *workspace, size_t count, size_t size)
{
    return sac_take(workspace->scratch ? workspace->scratch : workspace, count, size);
}
