#pragma once

#include "evolve/method.h"

/// All methods share the size of a generation, and one overall step size that may follow a schedule.

typedef struct sac_common
{
    int population;
    double sigma;
    double sigma_decay;
    int sigma_decay_from;
    double sigma_floor;
    double weight_decay;
    int restarts; // see restart.h
    char restart_rule[SAC_TEXT_SIZE];
    double restart_growth;
    double restart_spread;
    double restart_tolerance;
    int restart_stagnation;
} sac_common;

#define SAC_COMMON_OPTION(field, type, fallback, min, max, help)                               \
    {                                                                                          \
#field, SAC_OPTION_##type, offsetof(sac_common, field), fallback, min, max, NULL, help \
    }

/// Rows of an option table whose config starts with a sac_common.
#define SAC_COMMON_OPTIONS(population_fallback, population_help, sigma_fallback, sigma_help)                           \
    SAC_COMMON_OPTION(population, INT, population_fallback, 0, 1000000, population_help),                              \
        SAC_COMMON_OPTION(sigma, REAL, sigma_fallback, 1e-12, 1e12, sigma_help),                                       \
        SAC_COMMON_OPTION(sigma_decay, REAL, "1", 0.5, 1, "factor on the step size, each generation"),                 \
        SAC_COMMON_OPTION(sigma_decay_from, INT, "0", 0, 1e9, "generation in which sigma_decay begins"),               \
        SAC_COMMON_OPTION(sigma_floor, REAL, "0", 0, 1e12, "the step size stays above this"),                          \
        SAC_COMMON_OPTION(weight_decay, REAL, "0", 0, 1e12, "fitness lost per unit of a candidate's mean square"),     \
        SAC_COMMON_OPTION(restarts, INT, "0", 0, 1000, "fresh starts that a search with a reason to stop may make"),   \
        {"restart_rule",                                                                                               \
         SAC_OPTION_TEXT,                                                                                              \
         offsetof(sac_common, restart_rule),                                                                           \
         "ipop",                                                                                                       \
         0,                                                                                                            \
         0,                                                                                                            \
         "ipop bipop",                                                                                                 \
         "ipop: larger populations; bipop: small ones with small steps between them"},                                 \
        SAC_COMMON_OPTION(restart_growth, REAL, "2", 1, 100, "factor on the population, each restart"),                \
        SAC_COMMON_OPTION(restart_spread, REAL, "0", 0, 1e12, "standard deviation of a fresh start around the first"), \
        SAC_COMMON_OPTION(restart_tolerance, REAL, "1e-12", 0, 1e12,                                                   \
                          "a reason to restart: the best fitness of 10 + 30 n / population generations lies in such "  \
                          "a range; 0: none"),                                                                         \
        SAC_COMMON_OPTION(                                                                                             \
            restart_stagnation, INT, "0", 0, 100000,                                                                   \
            "a reason to restart: so many generations whose newer half is no better than the older one; 0: none")

/// Set a search's population, sigma and weight_decay. A population of 0 means 4 + 3 ln n.
/// @param step  the population must be a multiple of it: 2 where candidates come in pairs
sac_status sac_common_create(sac_search *search, const sac_common *common, int step);

/// Compute the step size of the next generation by its schedule.
void sac_common_move_sigma(sac_search *search, const sac_common *common);

/// Find the reason to stop, for a method where sigma is the standard deviation along all axes.
const char *sac_common_stop(const sac_search *search);
