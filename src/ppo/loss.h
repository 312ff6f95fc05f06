#pragma once

#include "ppo/head.h"

/// The loss of PPO (Schulman et al. 2017) over rows of a minibatch, and its gradient.
///
///     ratio = p(drawn) / p_old(drawn)
///     loss  = mean(max(-A ratio, -A clamp(ratio, 1 - clip, 1 + clip))) - entropy mean(entropy)
///             + value mean(max((V - R)^2, (V_old + clamp(V - V_old, -clip, clip) - R)^2)) / 2
///
/// A row whose weight is 0 does not count.
typedef struct sac_ppo_rows
{
    const sac_action_head *head;
    int count;
    const float *drawn;                         ///< [N, S]
    const float *outputs;                       ///< [N, O] in units
    const float *logs;                          ///< [logs]
    const float *old;                           ///< [N] log p_old(drawn)
    const float *advantages;                    ///< [N]
    const float *values, *old_values, *targets; ///< [N]
    const uint8_t *counts;                      ///< [N] 0: the row does not count
    double share;                               ///< one over how many rows of the minibatch count
    double clip, value, entropy;
    bool clip_value;
} sac_ppo_rows;

/// What a minibatch's advantages are normalised by, (A - mean) / deviation, from their number, sum and sum of squares.
/// Fewer than two stay as they are.
void sac_ppo_normalise(double *mean, double *deviation, double count, double sum, double squares);

/// Sums over rows; a mean is the sum times the share.
typedef struct sac_ppo_sums
{
    double policy, value, entropy; ///< losses, and the entropy itself
    double divergence;             ///< of (ratio - 1) - log ratio, an estimate of KL(old, new) (Schulman 2020)
    double clipped;                ///< rows whose ratio lies beyond the clip
} sac_ppo_sums;

/// Floats of workspace for N rows.
size_t sac_ppo_loss_workspace(const sac_action_head *head, int count);

/// @param[out] sums      added to
/// @param[out] doutputs  [N, O] by outputs in units, written
/// @param[out] dvalues   [N], written
/// @param[out] dlogs     [logs], added to
void sac_ppo_loss(const sac_ppo_rows *rows, const sac_learn *l, sac_ppo_sums *sums, float *doutputs, float *dvalues,
                  float *dlogs, float *workspace);
