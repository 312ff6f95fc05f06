#pragma once

#include <stdatomic.h>

#include "saccade/base.h"

/// Blocks of one size in a nameless file: what is gathered in any order by many threads, and read back in another. The
/// file is gone with the process, however that ends.
typedef struct sac_spool
{
    int descriptor; ///< plus one, so that {0} is no file
    size_t block;   ///< bytes
    atomic_llong count;
} sac_spool;

/// @param beside  a path in whose folder the file lies
/// @param block   bytes of a block
/// @return SAC_ERROR_FILE where the folder is missing or cannot be written
SAC_CHECKED sac_status sac_spool_open(sac_spool *spool, const char *beside, size_t block);

/// {0} is ignored.
void sac_spool_close(sac_spool *spool);

/// Write a block; from any thread.
/// @param[out] number  for reading it back
SAC_CHECKED sac_status sac_spool_add(sac_spool *spool, const void *bytes, long long *number);

/// Read a block back.
SAC_CHECKED sac_status sac_spool_get(const sac_spool *spool, long long number, void *bytes);

/// Forget all blocks, and give their room on the disk back.
SAC_CHECKED sac_status sac_spool_clear(sac_spool *spool);
