#pragma once

#include <stdint.h>

/// Generalised advantage estimation (Schulman et al. 2016).

/// How a step ended.
enum
{
    SAC_GOES_ON,
    SAC_TERMINATED, ///< nothing follows
    SAC_TRUNCATED,  ///< something would have followed: what the critic says of it is in `last`
};

/// T steps of W worlds side by side; rows of all arrays are ordered by step, then by world.
typedef struct sac_gae_def
{
    int steps, worlds;
    double gamma, lambda;
    const float *rewards; ///< [T, W]
    const float *values;  ///< [T + 1, W] of what was seen before each step, and after the last one
    const float *last;    ///< [T, W] of what was seen after a step that was truncated; else ignored
    const uint8_t *ends;  ///< [T, W] SAC_GOES_ON, ...
} sac_gae_def;

/// With d_t = r_t + gamma V_(t+1) - V_t, A_t = d_t + gamma lambda A_(t+1), where V_(t+1) is 0 behind a termination and
/// A_(t+1) behind any end.
/// @param[out] advantages  [T, W]
/// @param[out] targets     [T, W] A_t + V_t, which the critic learns
void sac_gae(const sac_gae_def *def, float *advantages, float *targets);
