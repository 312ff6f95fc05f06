#pragma once

#include "evolve/method.h"

/// What all methods share: the size of a generation, and one overall step size that may follow a schedule.

typedef struct sac_common
{
    int population;
    double sigma;
    double sigma_decay;
    int sigma_decay_from;
    double sigma_floor;
    double weight_decay;
} sac_common;

#define SAC_COMMON_OPTION(field, type, fallback, min, max, help)                               \
    {                                                                                          \
#field, SAC_OPTION_##type, offsetof(sac_common, field), fallback, min, max, NULL, help \
    }

/// Rows of an option table whose config starts with a sac_common.
#define SAC_COMMON_OPTIONS(population_fallback, population_help, sigma_fallback, sigma_help)             \
    SAC_COMMON_OPTION(population, INT, population_fallback, 0, 1000000, population_help),                \
        SAC_COMMON_OPTION(sigma, REAL, sigma_fallback, 1e-12, 1e12, sigma_help),                         \
        SAC_COMMON_OPTION(sigma_decay, REAL, "1", 0.5, 1, "factor on the step size, each generation"),   \
        SAC_COMMON_OPTION(sigma_decay_from, INT, "0", 0, 1e9, "generation in which sigma_decay begins"), \
        SAC_COMMON_OPTION(sigma_floor, REAL, "0", 0, 1e12, "the step size stays above this"),            \
        SAC_COMMON_OPTION(weight_decay, REAL, "0", 0, 1e12, "fitness lost per unit of a candidate's mean square")

/// Set a search's population, sigma and weight_decay. Population 0: 4 + 3 ln n.
/// @param step  the population must be a multiple of it: 2 where candidates come in pairs
sac_status sac_common_create(sac_search *search, const sac_common *common, int step);

/// The step size of the next generation by its schedule.
void sac_common_move_sigma(sac_search *search, const sac_common *common);

/// Stop reason where sigma is the standard deviation along all axes.
const char *sac_common_stop(const sac_search *search);
