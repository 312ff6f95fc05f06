#pragma once

#include "evolve/common.h"
#include "evolve/strategies/ascent.h"
#include "evolve/strategies/pairs.h"

/// Blackbox gradient sensing: the gradient of the smoothed fitness is estimated from antithetic pairs, with only the
/// best directions,
///
///     g = sum_{k in top} (r_2k - r_2k+1) e_k / (b s)        b directions in the top
///     s = standard deviation of the 2 b returns that are used, or 2 sigma
///
/// and m moves along g (step.h). Augmented random search (ars.c) and the gradient sensing of Choromanski et al. (bgs.c)
/// are this method with different options.

typedef struct sac_sensing_config
{
    sac_common common; // first: SAC_COMMON_OPTIONS counts on it
    sac_ascent_config step;
    double top;                    ///< share of the directions that are in use
    char pick[SAC_TEXT_SIZE];      ///< "max" of the two returns or their "difference"
    char normalise[SAC_TEXT_SIZE]; ///< "std" or "sigma"
    bool orthogonal;
} sac_sensing_config;

#define SAC_SENSING_OPTION_TOP(fallback)                                                    \
    {                                                                                       \
        "top", SAC_OPTION_REAL, offsetof(sac_sensing_config, top), fallback, 1e-6, 1, NULL, \
            "share of the directions that the gradient is made of, the best ones"           \
    }
#define SAC_SENSING_OPTION_PICK(fallback)                                                              \
    {                                                                                                  \
        "pick", SAC_OPTION_TEXT, offsetof(sac_sensing_config, pick), fallback, 0, 0, "max difference", \
            "best directions: by the larger of their two returns, or by how much these differ"         \
    }
#define SAC_SENSING_OPTION_NORMALISE(fallback)                                                              \
    {                                                                                                       \
        "normalise", SAC_OPTION_TEXT, offsetof(sac_sensing_config, normalise), fallback, 0, 0, "std sigma", \
            "differences are divided by the standard deviation of the used returns, or by 2 sigma"          \
    }
#define SAC_SENSING_OPTION_ORTHOGONAL(fallback)                                                        \
    {                                                                                                  \
        "orthogonal", SAC_OPTION_BOOL, offsetof(sac_sensing_config, orthogonal), fallback, 0, 0, NULL, \
            "make the directions of a generation orthogonal"                                           \
    }

/// The functions of a sac_search_method whose config is a sac_sensing_config.
sac_status sac_sensing_create(sac_search *search, const void *config);
void sac_sensing_destroy(void *self);
sac_status sac_sensing_prepare(sac_search *search);
void sac_sensing_ask(const sac_search *search, int index, float *x);
sac_status sac_sensing_tell(sac_search *search, const int *order, const double *x);
void sac_sensing_state(sac_search *search, sac_search_array *arrays, int capacity, int *count);
void sac_sensing_constants(sac_search *search, sac_search_array *arrays, int capacity, int *count);
sac_status sac_sensing_restored(sac_search *search);
