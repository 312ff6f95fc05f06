#pragma once

#include "saccade/attention.h"

/// The reading trans turns N tokens into l.
///
/// readings.h explains tokens, the sizes (D, F, N, V, l) and what holds for all readings.

/// The order in which P Q' K'^T V is multiplied. All give the same numbers up to rounding. Softmax, which has no
/// features, gathers A V a few rows at a time and then multiplies by P, whatever the order: time N^2 (D + V).
typedef enum sac_trans_order
{
    SAC_TRANS_CHEAPEST, ///< whichever takes the fewest multiplications for the shapes
    SAC_TRANS_LEFT,     ///< ((P Q') K'^T) V: l N (2F + V)
    SAC_TRANS_RIGHT,    ///< P (Q' (K'^T V)): N V (2F + l)
    SAC_TRANS_MIDDLE,   ///< (P Q') (K'^T V): N F (l + V) + l F V
} sac_trans_order;

/// The order's name: "cheapest", "left", "right", "middle"; NULL past the end.
SAC_API const char *sac_trans_order_name(int order);

/// Multiplications that an order takes, features not counted.
SAC_API double sac_trans_cost(sac_trans_order order, int rows, int feature_size, int token_count, int value_size);

/// The cheapest of left, right and middle; the first of equals.
SAC_API sac_trans_order sac_trans_cheapest(int rows, int feature_size, int token_count, int value_size);

/// A block: out = LN(P V + P A V). Filled in by the caller, who owns the arrays; zero is a good value for all but the
/// first five.
typedef struct sac_trans
{
    const sac_attention *attention; ///< any form
    int rows;                       ///< l >= 1
    int value_size;                 ///< V >= 1
    const float *projection;        ///< P [l, projection_stride]
    int projection_stride;          ///< >= N; what softmax needs of a workspace is for so many tokens
    bool residual;                  ///< add P V
    const float *gain, *bias;       ///< [V] of the layer norm; gain NULL: none
    float epsilon;                  ///< of the layer norm, added to the variance; 0: 1e-5
    sac_trans_order order;
} sac_trans;

/// Bytes of workspace for sac_trans_run.
SAC_API size_t sac_trans_workspace_size(const sac_trans *trans);

/// @param[out] out        [l, V]
/// @param      queries    [D, stride]
/// @param      keys       [D, stride]
/// @param      values     [V, stride]
/// @param      workspace  64-byte aligned
SAC_API void sac_trans_run(const sac_trans *trans, float *out, const float *queries, const float *keys,
                           const float *values, int token_count, int stride, void *workspace);

/// Bring each row to mean 0 and variance 1, then multiply by gain and add bias.
/// @param[out] out      [rows, size]; may be x
/// @param      gain     [size]
/// @param      bias     [size]
/// @param      epsilon  added to the variance (biased)
SAC_API void sac_layer_norm(float *out, const float *x, int rows, int size, const float *gain, const float *bias,
                            float epsilon);
