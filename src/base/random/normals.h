#pragma once

#include "saccade/base.h"

/// The inner loop of sac_normals, compiled once for each CPU level, with the same bits on all.

enum
{
    SAC_NORMALS_BLOCK = 128
};

/// SAC_NORMALS_BLOCK normals from as many halves of counters.
typedef void sac_normals_block(double *out, uint64_t key, uint64_t counter, uint64_t name);

sac_normals_block sac_normals_block_scalar, sac_normals_block_neon, sac_normals_block_avx2, sac_normals_block_avx512;
