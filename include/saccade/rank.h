#pragma once

#include "saccade/attention.h"

/// The reading rank computes scores of tokens and chooses the tokens that are kept. sac_attention_top takes the best
/// ones.
///
/// readings.h explains tokens, the sizes (D, F, N, V, l) and what holds for all readings.

/// Bytes of workspace for the functions of this section, for any number of tokens and rows; 64-byte aligned.
SAC_API size_t sac_rank_workspace_size(const sac_attention *attention);

/// Sum up the queries: z = P Q'.
/// @param[out] z        [rows, F]
/// @param      weights  P [rows, weight_stride]; NULL: one row of ones, so that z = sum_i phi(q_i)
/// @param      queries  [D, stride]
SAC_API void sac_rank_summary(const sac_attention *attention, float *z, const float *weights, int rows,
                              int weight_stride, const float *queries, int token_count, int stride, void *workspace);

/// Score the keys by that sum: r = z K'^T / query_count.
/// @param[out] scores       [rows, score_stride]
/// @param      z            [rows, F]
/// @param      query_count  of the queries that z sums over
SAC_API void sac_rank_scores(const sac_attention *attention, float *scores, int score_stride, const float *z, int rows,
                             int query_count, const float *keys, int token_count, int stride, void *workspace);

/// Compute z' = phi(mean_i q_i), one query in place of the sum of all, with q_i scaled and normalised as the form sees
/// them. Tokens that are drawn by it have another distribution than the scores have; see sac_tree_draw.
/// @param[out] z  [F]
SAC_API void sac_rank_mean_query(const sac_attention *attention, float *z, const float *queries, int token_count,
                                 int stride, void *workspace);

/// Compute softmax(scores), the distribution of softmax sampling. NaN scores get probability 0.
/// @param[out] probabilities  [count]; may be scores
SAC_API void sac_rank_probabilities(const sac_attention *attention, float *probabilities, const float *scores,
                                    int count);

/// Draw `kept` different tokens, one after the other, each with its share of the probability that is left. This takes
/// time kept * count.
/// @param[out]    chosen         [kept] in order of drawing
/// @param[in,out] probabilities  [count], >= 0, any sum; those drawn become -1. Where no positive one is left, the
///                               lowest index comes next
/// @param         uniform        [kept] in 0 <= u < 1: drawing is a pure function of them
SAC_API void sac_rank_draw(int *chosen, int kept, float *probabilities, int count, const double *uniform);

/// Take only the values of the kept tokens, in their order (no masking).
/// @param[out] out     [kept, V]
/// @param      values  [V, stride]
SAC_API void sac_rank_take(float *out, const int *chosen, int kept, const float *values, int value_size, int stride);

/// Take all values, with zeros where a token was not kept (masking).
/// @param[out] out  [V, out_stride]; not the values themselves
SAC_API void sac_rank_mask(float *out, int out_stride, const int *chosen, int kept, const float *values, int value_size,
                           int token_count, int stride);
