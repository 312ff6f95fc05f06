#pragma once

#include "saccade/options.h"

/// The options of `search.method: distill`: a policy learns what a teacher does. The teacher itself is the task's
/// section `teacher`.

enum
{
    SAC_DISTILL_SHARES = 32, ///< numbers in a mixture schedule
    SAC_DISTILL_FLIP = 64    ///< choices or numbers of an action that can be flipped
};

typedef struct sac_distill_options
{
    int episodes;              ///< a round
    char share[SAC_TEXT_SIZE]; ///< the teacher's part of them by round, the last one from then on
    int keep;                  ///< frames
    int memory;                ///< MiB
    int fit_steps;             ///< minibatches a round
    int measure;               ///< sequences by which the normaliser is measured
    int fall;                  ///< rounds over which the rate falls; 0: never
    int batch, steps, lead, slices;
    char optimiser[SAC_TEXT_SIZE], choosing[SAC_TEXT_SIZE];
    double rate, last_rate, decay, largest_norm, huber, spread, temperature, last_temperature;
    char loss[SAC_TEXT_SIZE]; ///< labels, cost or soft
    double softness;          ///< of the last
    char flip[SAC_TEXT_SIZE]; ///< what pictures mean from right to left; empty: they are not flipped
} sac_distill_options;

extern const sac_option sac_distill_option_table[];

/// The mixture schedule in numbers.
/// @param[out] shares  [SAC_DISTILL_SHARES]
/// @return SAC_ERROR_ARGUMENT for text that is no list of numbers in 0..1
SAC_CHECKED sac_status sac_distill_read_shares(const char *text, double *shares, int *count);

/// Read what pictures mean from right to left, as sac_fit_def has it.
/// @param[out] flip  [count] a number for each choice or for each number of an action; SAC_DISTILL_FLIP at most
/// @return SAC_ERROR_ARGUMENT for text that is no list of so many whole numbers
SAC_CHECKED sac_status sac_distill_read_flip(const char *text, int *flip, int count);
