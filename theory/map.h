#pragma once

#include "random.h"
#include "saccade/attention.h"

/// The library's feature maps, for a few tokens at a time. Tokens are rows of doubles that are rounded to the library's
/// float32; dot products of features are summed in double.

/// One drawn map with room for the features of some queries and keys.
typedef struct theory_map
{
    sac_attention *attention;
    int size, features, capacity; ///< D, F, tokens
    float *tokens;                ///< [D, capacity]
    float *phi[2];                ///< [F, capacity] of SAC_QUERIES and SAC_KEYS
    void *workspace;
} theory_map;

/// Make a def of this form, with features of the tokens as they are (scale 1) and independent rows of W.
sac_attention_def theory_def(const char *form, int size, int m);

/// @param[out] map       released by theory_map_destroy, also after a failure
/// @param      capacity  most tokens at once
sac_status theory_map_create(theory_map *map, const sac_attention_def *def, int capacity);
void theory_map_destroy(theory_map *map);

/// Compute the features of tokens x [count, D], as queries or as keys.
void theory_map_take(theory_map *map, sac_attention_side side, const double *x, int count);

/// Compute phi(a).phi(b) of the a-th token on one side and the b-th token on the other (or on the same) side.
double theory_map_dot(const theory_map *map, sac_attention_side side_a, int a, sac_attention_side side_b, int b);

/// Sum the features of the first `count` tokens on a side: z [F].
void theory_map_sum(const theory_map *map, double *z, sac_attention_side side, int count);

/// Compute z.phi of the first `count` tokens on a side, and the lengths of their phi (NULL: not wanted).
void theory_map_against(const theory_map *map, double *dots, double *lengths, const double *z, sac_attention_side side,
                        int count);

/// Estimate pairs x, y [count, D] by maps of `draws` seeds: this calls `add` with each map, which has taken x as
/// queries and y as keys.
/// queries and y as keys.
typedef void theory_add_estimate(void *user, const theory_map *map);
sac_status theory_each_draw(const sac_attention_def *def, const double *x, const double *y, int count, int draws,
                            theory_add_estimate *add, void *user);

/// Collect the squared differences of the estimates of `draws` maps from `kernel`.
sac_status theory_squared_misses(theory_moments *out, const sac_attention_def *def, const double *x, const double *y,
                                 double kernel, int draws);

/// Estimate the kernel between all queries [query_count, D] and keys [key_count, D] with `m` features. These may be
/// more than one map holds: maps are drawn one after the other and averaged.
/// map holds: maps are drawn one after the other and averaged.
/// @param[out] out  [query_count, key_count]
sac_status theory_kernels(double *out, const sac_attention_def *def, long m, const double *queries, int query_count,
                          const double *keys, int key_count, uint64_t seed);
