#pragma once

#include "run/checkpoint.h"

typedef struct sac_run sac_run;

/// How a run learns: what one generation does, and which of its arrays a checkpoint holds. Everything else is the run's
/// own, and the same for every learner: folder, journal, metrics, evaluations, best and mean vector, board, page, stop,
/// resume, ranks. A learner is such a table and one row in learners.c. Each function is called on every rank, and every
/// rank must come to the same state.
typedef struct sac_learner
{
    /// Make r->learned for the run's task and policy, and call sac_run_set_start. After a failure, destroy is called.
    sac_status (*create)(sac_run *r);
    void (*destroy)(sac_run *r); ///< r->learned may be NULL

    /// Read a checkpoint with sac_run_read_checkpoint, and derive the rest.
    sac_status (*restore)(sac_run *r, const uint8_t *bytes, size_t size);

    /// Whatever follows from the state, new or restored, before the first generation; NULL: nothing.
    sac_status (*begin)(sac_run *r);

    /// One generation after state.generation. It adds to state.steps, and writes state.best, mean and std (of what
    /// metrics.csv calls the population), r->note where there is something to say, and the normaliser; it ends with
    /// sac_run_update_average. An interrupt (r->def->interrupt) leaves state and kept arrays unchanged.
    sac_status (*advance)(sac_run *r);

    /// Why training should stop, in words; NULL: it goes on. The function may be NULL: it always goes on. To stop is no
    /// failure; numbers that are not finite are one, which advance returns as SAC_ERROR_DIVERGED.
    const char *(*stop)(const sac_run *r);

    double (*sigma)(const sac_run *r); ///< the step size or the deviation of actions, for metrics.csv

    sac_kept (*kept)(const sac_run *r); ///< what checkpoints hold
} sac_learner;

/// The learner of a search.method.
const sac_learner *sac_learner_of(const char *method);

extern const sac_learner sac_evolution_learner, sac_ppo_learner, sac_distill_learner, sac_contrast_learner;
