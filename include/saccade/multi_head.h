#pragma once

#include "saccade/attention.h"

/// These functions compute several heads side by side, and the linear layer that joins them.
///
/// readings.h explains tokens, the sizes (D, F, N, V, l) and what holds for all readings.

/// H attentions side by side: head h reads rows h D.. of queries [H D, stride] and keys [H D, stride]. Heads may be one
/// attention several times; all have the same D.
typedef struct sac_multi_head
{
    const sac_attention *const *heads; ///< [count], the caller's
    int count;
} sac_multi_head;

/// Bytes of workspace for both functions below.
SAC_API size_t sac_multi_head_workspace_size(const sac_multi_head *multi, int token_count, int value_size);

/// Compute the mean of the heads' importance. @param[out] importance [token_count]
SAC_API void sac_multi_head_importance(const sac_multi_head *multi, float *importance, const float *queries,
                                       const float *keys, int token_count, int stride, void *workspace);

/// Compute the heads' outputs, one below the other, as sac_attention_output gives them: head h reads rows h V.. of
/// values and writes rows h V.. of out. The product with an output matrix is the caller's, see sac_linear.
/// @param[out] out     [H V, out_stride]
/// @param      values  [H V, stride]
SAC_API void sac_multi_head_output(const sac_multi_head *multi, float *out, int out_stride, const float *queries,
                                   const float *keys, const float *values, int value_size, int token_count, int stride,
                                   void *workspace);

/// A linear layer on planar tokens: out = weights x + bias, such as tokens to queries.
/// @param[out] out      [outputs, out_stride]; must not overlap x
/// @param      weights  [outputs, inputs]
/// @param      bias     [outputs]; NULL: none
/// @param      x        [inputs, stride]
SAC_API void sac_linear(float *out, int out_stride, const float *weights, const float *bias, int outputs,
                        const float *x, int inputs, int token_count, int stride);
