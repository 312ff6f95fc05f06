#pragma once

#include "learn/learn.h"

/// What turns gradients into parameters. Its state is a few plain arrays and a count of steps, so that a checkpoint can
/// list, save and restore it.

typedef struct sac_optimiser sac_optimiser;

typedef enum sac_optimiser_kind
{
    SAC_OPTIMISER_SGD,   ///< with momentum
    SAC_OPTIMISER_ADAM,  ///< decay as part of the gradient
    SAC_OPTIMISER_ADAMW, ///< decay apart from the moments
} sac_optimiser_kind;

/// What to create. Start from sac_optimiser_default_def().
typedef struct sac_optimiser_def
{
    sac_optimiser_kind kind;      ///< default Adam
    double rate;                  ///< largest rate, default 1e-3
    double momentum;              ///< SGD, default 0.9
    double beta1, beta2, epsilon; ///< Adam, default 0.9, 0.999, 1e-8
    double decay;                 ///< of weights, default 0
    size_t undecayed;             ///< parameters at the end of the vector that do not decay, default 0
    double largest_norm;          ///< a longer gradient is shortened to it; default 0: never
    double average;               ///< share that a running average of the parameters keeps a step; default 0: none
    uint64_t warm_steps, steps;   ///< see sac_schedule; default 0, 0: a constant rate
    double last_rate;             ///< share of `rate` at the end of the schedule, default 0
} sac_optimiser_def;

/// An array of the state.
typedef struct sac_optimiser_array
{
    const char *name; ///< "velocity", "first_moment", "second_moment", "average"
    float *numbers;   ///< [parameters], owned by the optimiser
} sac_optimiser_array;

enum
{
    SAC_OPTIMISER_ARRAYS = 3 ///< at most
};

sac_optimiser_def sac_optimiser_default_def(void);

/// Names by kind, NULL at the end, as tasks write them.
extern const char *const sac_optimiser_names[];

/// The kind of a name. @return false, and `kind` as it was, where there is none of that name
bool sac_optimiser_find(sac_optimiser_kind *kind, const char *name);

/// Errors: memory.
SAC_CHECKED sac_status sac_optimiser_create(sac_optimiser **out, const sac_optimiser_def *def, size_t parameters);

/// NULL is ignored.
void sac_optimiser_destroy(sac_optimiser *optimiser);

/// One step. `gradient` is shortened in place where it is too long. @return its length before
double sac_optimiser_step(sac_optimiser *optimiser, const sac_learn *l, float *parameters, float *gradient);

/// Another largest rate from the next step on. It is no part of the state: who sets it sets it again after a restore.
void sac_optimiser_set_rate(sac_optimiser *optimiser, double rate);

/// The running average of the parameters that steps have given, NULL where there is none; before the first step zeros.
const float *sac_optimiser_average(const sac_optimiser *optimiser);

/// List the arrays of the state. @return how many
int sac_optimiser_list(const sac_optimiser *optimiser, sac_optimiser_array list[SAC_OPTIMISER_ARRAYS]);

/// The number of steps taken, which belongs to the state, too.
uint64_t sac_optimiser_steps(const sac_optimiser *optimiser);
void sac_optimiser_set_steps(sac_optimiser *optimiser, uint64_t steps);
