#pragma once

#include "evolve/common.h"

/// This file holds what the two forms of CMA-ES share: options, weights, constants and the two paths (Hansen 2016,
/// arXiv:1604.00772; constants as in pycma 4.5). With y_k = (x_k - m) / sigma for the k-th best candidate, the
/// equations are
///
///     step = sum_k w_k y_k over positive weights        m <- m + c_m sigma step
///     p_sigma <- (1 - c_sigma) p_sigma + sqrt(c_sigma (2 - c_sigma) mu_eff) C^(-1/2) step
///     p_c <- (1 - c_c) p_c + h_sigma sqrt(c_c (2 - c_c) mu_eff) step
///     C <- (1 - c_1' - c_mu sum w) C + c_1 p_c p_c^T + c_mu sum_k w_k y_k y_k^T
///     sigma <- sigma exp(c_sigma / d_sigma (|p_sigma| / E|N(0, I)| - 1))

typedef struct sac_cma_config
{
    sac_common common; // first: SAC_COMMON_OPTIONS counts on it
    double c_mean;
    bool active;
    bool mirrored;
    double covariance_rate;
    bool csa;
    double csa_damping;
    bool two_point;
} sac_cma_config;

#define SAC_CMA_OPTION(field, type, fallback, min, max, help)                                      \
    {                                                                                              \
#field, SAC_OPTION_##type, offsetof(sac_cma_config, field), fallback, min, max, NULL, help \
    }

/// Rows of an option table whose config starts with a sac_cma_config.
#define SAC_CMA_OPTIONS(active_fallback)                                                                           \
    SAC_COMMON_OPTIONS("0", "candidates in a generation; 0: 4 + 3 ln n", "0.1", "first step size"),                \
        SAC_CMA_OPTION(c_mean, REAL, "1", 1e-6, 1, "how far the mean goes towards the weighted best"),             \
        SAC_CMA_OPTION(active, BOOL, active_fallback, 0, 0, "learn from the worse half too, by negative weights"), \
        SAC_CMA_OPTION(mirrored, BOOL, "false", 0, 0, "candidates 2k and 2k + 1 lie opposite each other"),         \
        SAC_CMA_OPTION(covariance_rate, REAL, "1", 0, 1000, "factor on the learning rates c_1 and c_mu"),          \
        SAC_CMA_OPTION(csa, BOOL, "true", 0, 0, "adapt the step size by the length of its path"),                  \
        SAC_CMA_OPTION(csa_damping, REAL, "1", 1e-3, 1e6,                                                          \
                       "factor on the damping: larger adapts the step more slowly"),                               \
        SAC_CMA_OPTION(two_point, BOOL, "false", 0, 0,                                                             \
                       "adapt it by which of two candidates on the line of the last move is better")

typedef struct sac_cma
{
    sac_cma_config config;
    int dimension, population;
    int mu; ///< number of positive weights
    /// [population], best first; the first mu are positive, sum 1; no other is positive
    double *weights;
    double mu_eff, c_sigma, damping, c_c, c_1, c_mu;
    double chi_n;       ///< E|N(0, I)|
    double *path_sigma; ///< [dimension]
    double *path_c;     ///< [dimension]
    double *step;       ///< [dimension], of this generation
    double *white;      ///< [dimension], C^(-1/2) step
    double lead;        ///< two_point: by how many ranks candidate 0 has beaten candidate 1 of late, -1..1
} sac_cma;

/// Allocate and derive everything from a config.
/// @param rate  further factor on c_1 and c_mu: (n + 2) / 3 for the separable form
sac_status sac_cma_create(sac_cma *cma, sac_search *search, const sac_cma_config *config, double rate);
void sac_cma_destroy(sac_cma *cma);

/// Compute one candidate's standard normals, z [dimension].
void sac_cma_noise(const sac_cma *cma, const sac_search *search, int index, double *z);

/// Compute the factor that makes a negative weight safe: n / |C^(-1/2) y|^2, given that squared length.
double sac_cma_negative_factor(const sac_cma *cma, double squared_length);

/// Two-point adaptation (Hansen, Atamna and Auger 2014), as pycma does it from 300 dimensions on: candidates 0 and 1
/// lie ahead and behind on the line of the last move. Given `white`, C^(-1/2) of the last `step`, this computes the
/// factor that gives the step that squared length; it is 0 where there is no such line. Each prepare calls it.
double sac_cma_reach(const sac_cma *cma, double squared_length);

/// Move the mean and both paths, given `step` and `white`. What remains is to update C and to call sac_cma_move_sigma.
/// @return c_1', the rate at which C forgets for the rank-one update (smaller while the path is stalled)
double sac_cma_move(sac_cma *cma, sac_search *search);
void sac_cma_move_sigma(sac_cma *cma, sac_search *search, const int *order);

/// Sigma and C may drift apart, one growing as the other shrinks. Where the largest standard deviation along any axis,
/// without sigma, is outside 2^-20..2^20, its power of two is moved into sigma. A power of two changes only exponents,
/// so no later bit changes.
/// @return what the deviations must be divided by, and C by its square; it is 1 almost always
double sac_cma_rescale(sac_cma *cma, sac_search *search, double largest);

/// Compute 1 - c_1' - c_mu sum w, given c_1'.
double sac_cma_keep(const sac_cma *cma, double c_1);

/// Add the constants' rows; `search->self` starts with a sac_cma.
void sac_cma_constants(sac_search *search, sac_search_array *arrays, int capacity, int *count);

/// Add the two paths to the state, and what two_point needs.
void sac_cma_state(sac_cma *cma, sac_search_array *arrays, int capacity, int *count);

/// Find reasons to stop from the largest and smallest standard deviation along any axis, without sigma.
const char *sac_cma_stop(const sac_search *search, double largest, double smallest);
