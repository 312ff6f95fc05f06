#pragma once

#include <stddef.h>

#include "base/level.h"

/// Products of matrices. Apart from the kernels, because attention does without them and stays small.

/// What becomes of an output of a layer.
typedef enum sac_activation
{
    SAC_ACTIVATION_NONE,
    SAC_ACTIVATION_RELU, ///< x > 0 ? x : 0, so that NaN gives 0
    SAC_ACTIVATION_TANH,
    SAC_ACTIVATION_SIGMOID,
} sac_activation;

/// A product of matrices, out = f(start + A B). Element i, k of A is a[i * a_row + k * a_column], and so on: a
/// transposed operand is one whose two steps are exchanged. Each output is one chain of fmaf from its start, with k
/// rising, so its bits depend on neither the level nor the size of the product nor how it is cut into parts.
typedef struct sac_gemm
{
    int rows, columns, inner; ///< of out, out, and of the sum; 0 is allowed
    const float *a;           ///< [rows, inner]
    ptrdiff_t a_row, a_column;
    const float *b; ///< [inner, columns]
    ptrdiff_t b_row, b_column;
    float *out; ///< [rows, columns], out_row from row to row; overlaps nothing else
    ptrdiff_t out_row;
    bool add;          ///< start from what out holds
    const float *bias; ///< [columns], else start from these; NULL: from 0
    sac_activation activation;
} sac_gemm;

/// How large the blocks are that a product is computed by.
enum
{
    SAC_GEMM_ROWS = 480,   ///< of A, in the second cache
    SAC_GEMM_INNER = 256,  ///< terms of a sum at a time
    SAC_GEMM_COLUMNS = 32, ///< of B, in the first cache, at most
};

/// Bytes of scratch for any product, 64-byte aligned.
enum
{
    SAC_GEMM_SCRATCH = (SAC_GEMM_ROWS + SAC_GEMM_COLUMNS) * SAC_GEMM_INNER * 4
};

/// Compute a product. The same bits at every CPU level.
/// @param scratch  SAC_GEMM_SCRATCH bytes, 64-byte aligned, contents ignored
typedef void sac_gemm_fn(const sac_gemm *g, void *scratch);

/// The builds of it; SAC_AT_LEVEL(sac_gemm) is that of the level in use. The scalar one is the definition.
sac_gemm_fn sac_gemm_scalar, sac_gemm_neon, sac_gemm_avx2, sac_gemm_avx512;
