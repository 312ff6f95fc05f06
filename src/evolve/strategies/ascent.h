#pragma once

#include "evolve/method.h"

/// How a gradient g moves the mean m uphill:
///
///     sgd     v <- b v + (1 - b) g                  m <- m + a v
///     adam    v <- b v + (1 - b) g                  m <- m + a sqrt(1 - c^t) / (1 - b^t) v / (sqrt(s) + 1e-8)
///             s <- c s + (1 - c) g^2
///     clipup  v <- b v + a g / |g|, |v| <= 2 a      m <- m + v
///
/// with a = rate, b = momentum, c = 0.999 (Salimans et al. 2017; Kingma and Ba 2015; Toklu et al. 2020).

typedef struct sac_ascent_config
{
    char optimizer[SAC_TEXT_SIZE];
    double rate, momentum;
    double rate_decay, rate_floor;
} sac_ascent_config;

/// Rows of an option table for a config whose field `step` is a sac_ascent_config.
#define SAC_ASCENT_OPTIONS(config, optimizer_fallback, rate_fallback, rate_help, momentum_fallback)      \
    {"optimizer", SAC_OPTION_TEXT,   offsetof(config, step.optimizer), optimizer_fallback, 0,            \
     0,           "adam sgd clipup", "how the gradient moves the mean"},                                 \
        {"rate", SAC_OPTION_REAL, offsetof(config, step.rate), rate_fallback, 0, 1e12, NULL, rate_help}, \
        {"momentum",                                                                                     \
         SAC_OPTION_REAL,                                                                                \
         offsetof(config, step.momentum),                                                                \
         momentum_fallback,                                                                              \
         0,                                                                                              \
         0.999999,                                                                                       \
         NULL,                                                                                           \
         "how much of the last move goes on"},                                                           \
        {"rate_decay",                                                                                   \
         SAC_OPTION_REAL,                                                                                \
         offsetof(config, step.rate_decay),                                                              \
         "1",                                                                                            \
         0.5,                                                                                            \
         1,                                                                                              \
         NULL,                                                                                           \
         "factor on the rate, each generation"},                                                         \
    {                                                                                                    \
        "rate_floor", SAC_OPTION_REAL, offsetof(config, step.rate_floor), "0", 0, 1e12, NULL,            \
            "the rate stays above this"                                                                  \
    }

typedef struct sac_ascent
{
    enum
    {
        SAC_ASCENT_ADAM,
        SAC_ASCENT_SGD,
        SAC_ASCENT_CLIPUP
    } rule;
    double momentum, rate_decay, rate_floor;
    double rate;      ///< of the next move
    double count;     ///< number of moves so far
    double *velocity; ///< [n], v
    double *squares;  ///< [n], s; NULL but for adam
} sac_ascent;

/// @param rate  used where the config's rate is 0
sac_status sac_ascent_create(sac_ascent *ascent, const sac_ascent_config *config, double rate, int n);
void sac_ascent_destroy(sac_ascent *ascent);

/// Move the search's mean along the gradient [n].
void sac_ascent_move(sac_ascent *ascent, sac_search *search, const double *gradient);

/// Add the arrays of its state; check them after they were restored.
void sac_ascent_state(sac_ascent *ascent, const sac_search *search, sac_search_array *arrays, int capacity, int *count);
sac_status sac_ascent_restored(const sac_ascent *ascent, const sac_search *search);
