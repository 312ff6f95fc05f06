#pragma once

#include "files/atomic.h"
#include "files/growing.h"
#include "rollout/comm.h"
#include "train/halving.h"
#include "train/plan.h"

/// A sweep under way.
typedef struct sac_sweep_state
{
    const sac_sweep_def *def;
    sac_comm *comm, *own_comm;
    sac_plan *plan;
    int run; ///< under way
    char name[32];
} sac_sweep_state;

static inline int sac_sweep_runs(const sac_sweep_state *s)
{
    return sac_plan_points(s->plan) * s->plan->seed_count;
}

static inline bool sac_sweep_writes(const sac_sweep_state *s)
{
    return sac_comm_rank(s->comm) == 0;
}

/// "run-0007"
void sac_sweep_name(int run, char name[32]);

SAC_CHECKED sac_status sac_sweep_folder(const sac_sweep_state *s, int run, char path[SAC_PATH_SIZE]);

SAC_CHECKED sac_status sac_sweep_task(const sac_sweep_state *s, int run, sac_task **task);

/// Add ",VALUE" for every field of a run, as tables have them.
void sac_sweep_grow_fields(const sac_sweep_state *s, sac_growing *text, int run);

/// Train a run, and bring results.csv up to date. One that diverges is a result like any other.
/// @param pause_generations, pause_steps  as in sac_train_def
SAC_CHECKED sac_status sac_sweep_train(sac_sweep_state *s, int run, uint64_t pause_generations, uint64_t pause_steps);

/// Write results.csv: a row for every run that has begun.
sac_status sac_sweep_write_results(const sac_sweep_state *s);

/// Check that the folder is of a sweep with this halving, or note it in a new one: halving.yaml.
/// @param is_new  whether the folder holds no sweep yet
SAC_CHECKED sac_status sac_sweep_check_halving(const sac_sweep_state *s, bool is_new);

/// Train by successive halving: from rung to rung those that go on.
SAC_CHECKED sac_status sac_sweep_halve(sac_sweep_state *s);
