#pragma once

#include "saccade/attention.h"

/// A tree draws tokens by their scores in time log N, from keys that change less often than queries.
///
/// readings.h explains tokens, the sizes (D, F, N, V, l) and what holds for all readings.

/// A binary tree over the features of N keys: a node holds the sum of its leaves, so that a walk from the root reaches
/// leaf j with probability z.phi(k_j) / sum_i z.phi(k_i). The products must not be negative: relu and positive
/// features.
typedef struct sac_tree
{
    float *nodes; ///< [2 leaves, F], the caller's: a heap, root 1, children 2i and 2i + 1, key j at leaves + j
    int feature_size, token_count;
    int leaves; ///< the power of two >= N; those past N are zero
} sac_tree;

/// Floats that the nodes take.
SAC_API size_t sac_tree_size(const sac_attention *attention, int token_count);

/// Build the tree over keys, in time N F.
/// @param nodes      [sac_tree_size]; the tree points to them
/// @param workspace  sac_rank_workspace_size
SAC_API sac_tree sac_tree_create(const sac_attention *attention, float *nodes, const float *keys, int token_count,
                                 int stride, void *workspace);

/// Levels of the tree: numbers that one draw consumes.
SAC_API int sac_tree_depth(const sac_tree *tree);

/// Draw a token: each node goes to its left child with probability f(left).z / (f(left).z + f(right).z) (Choromanski et
/// al. 2021, second version, equation 21). With z = sum_i phi(q_i) this draws in proportion to the scores; with z' of
/// sac_rank_mean_query in proportion to z'.phi(k_j), which is the attention of one mean query and may be far from the
/// scores.
/// @param z        [F]
/// @param uniform  [sac_tree_depth] in 0 <= u < 1
/// @return 0..N-1, also where numbers are NaN
SAC_API int sac_tree_draw(const sac_tree *tree, const float *z, const double *uniform);

/// Draw `kept` <= N different tokens. The tree is changed during the call and holds the same bits afterwards. Where no
/// token with a positive probability is left, the lowest index comes next.
/// @param[out] chosen   [kept]
/// @param      uniform  [kept, sac_tree_depth]
/// @param      scratch  [kept, F]
SAC_API void sac_tree_draw_several(sac_tree *tree, int *chosen, int kept, const float *z, const double *uniform,
                                   float *scratch);

/// Compute the probability with which each token is drawn: the product of the choices on the way to it. This takes time
/// N F.
/// @param[out] probabilities  [N]
SAC_API void sac_tree_probabilities(const sac_tree *tree, float *probabilities, const float *z);

/// Replace the features of one key, in time F log N.
/// @param features  [F]; NULL: zero, so that it is not drawn any more
SAC_API void sac_tree_set(sac_tree *tree, int token, const float *features);
