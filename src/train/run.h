#pragma once

#include "rollout/comm.h"
#include "rollout/normaliser.h"
#include "rollout/returns.h"
#include "rollout/rollout.h"
#include "run/checkpoint.h"
#include "run/folder.h"
#include "run/journal.h"
#include "run/pace.h"
#include "run/phases.h"
#include "saccade/train.h"
#include "train/learner.h"
#include "train/tuned.h"

enum
{
    SAC_RUN_NOTE = 1024
};

/// A run under way. Every rank holds the same one, what learns included, and takes it through the same steps; rank 0
/// alone has the folder with its journal. How it learns is up to the learner (learner.h); all else is shared.
struct sac_run
{
    const sac_train_def *def;
    const sac_task *task;
    sac_comm *comm, *own_comm; ///< own_comm: what to close in the end
    sac_policy *policy;
    const sac_learner *learner;
    void *learned;          ///< the learner's own
    sac_rollouts *rollouts; ///< for evaluations, and for learners whose rounds are episodes
    sac_folder folder;      ///< rank 0
    sac_journal *journal;   ///< rank 0
    sac_returns *known;     ///< finished rounds since the last checkpoint
    sac_unit *units;        ///< [unit_room] of a round
    size_t unit_room;
    sac_episode *episodes;
    float *vector; ///< [parameters] what is trained, or what is evaluated, as floats
    sac_tuned tuned;
    sac_normaliser normaliser;
    sac_run_state state;
    uint64_t fingerprint; ///< of the task
    sac_stage now;        ///< the settings of the current stage
    double seconds;       ///< of training, resumed parts included
    sac_phases phases;
    sac_pace pace;
    sac_progress progress;
    double deadline;         ///< when the caller means to interrupt, by sac_clock(); 0: never
    double shown;            ///< when progress.json was written last
    char learning[160];      ///< how the last update went, in words; "": nothing to say
    char note[SAC_RUN_NOTE]; ///< all that changed after this generation, joined by "; "; "": nothing
    uint64_t bad_episodes;   ///< episodes with a NaN return since this process began
    char first_bad[160];     ///< describes the first such episode of this generation; "": none
    bool under_way;          ///< whether events are recorded under generation state.generation + 1
};

enum
{
    SAC_RUN_NOISE = 1, ///< streams of the run's seed
    SAC_RUN_START = 2,
    SAC_RUN_EPISODES = 3,
    SAC_RUN_SCREEN = 4,
};

static inline bool sac_run_writes(const sac_run *r)
{
    return sac_comm_rank(r->comm) == 0;
}

/// In total, as asked for.
static inline uint64_t sac_run_generations(const sac_run *r)
{
    return r->def->generations ? r->def->generations : (uint64_t)r->task->train.generations;
}

/// Why the learner wants to stop, in words; NULL: it goes on.
static inline const char *sac_run_stop(const sac_run *r)
{
    return r->learner->stop ? r->learner->stop(r) : NULL;
}

/// Whether the run has come as far as it is to go for now.
static inline bool sac_run_pauses(const sac_run *r)
{
    const sac_train_def *d = r->def;
    return (d->pause_generations > 0 && r->state.generation >= d->pause_generations) ||
           (d->pause_steps > 0 && r->state.steps >= d->pause_steps);
}

typedef enum sac_round_kind
{
    SAC_ROUND_TRAINING,
    SAC_ROUND_EVALUATION,
    SAC_ROUND_SCREENING
} sac_round_kind;

/// Create everything, or restore it. After a failure the run must be closed as well.
SAC_CHECKED sac_status sac_run_open(sac_run *r);
sac_status sac_run_close(sac_run *r, sac_status status);

/// Make room for rounds of so many units.
SAC_CHECKED sac_status sac_run_reserve_units(sac_run *r, size_t count);

/// The vector that training starts from: train.start, as its attempt draws it.
/// @param[out] x  [parameters]
SAC_CHECKED sac_status sac_run_draw_start(const sac_run *r, float *x);

/// Choose the parameters that are trained (train.tune) of a vector, whose normaliser becomes the run's, and gather
/// them: sets state.dimension, and the running average to the first state.dimension numbers of x.
SAC_CHECKED sac_status sac_run_set_start(sac_run *r, float *x);

/// Bring the running average, which is evaluated and shipped, on by what is trained, x [dimension].
void sac_run_update_average(sac_run *r, const float *x);

/// Read a checkpoint into what the learner keeps and the run's state.
SAC_CHECKED sac_status sac_run_read_checkpoint(sac_run *r, const uint8_t *bytes, size_t size);

/// Count and report the units whose return is not a number: a line for the first, the second, the fourth, the eighth of
/// them and so on, so that a broken world does not fill the disk.
SAC_CHECKED sac_status sac_run_report_bad(sac_run *r, sac_round_kind kind, int unit_count);

/// One generation of the learner; an interrupt leaves it as it was.
SAC_CHECKED sac_status sac_run_advance(sac_run *r);

/// Evaluate, write the row, checkpoint, report; an interrupt leaves the generation pending.
SAC_CHECKED sac_status sac_run_finish(sac_run *r, uint64_t generations);

/// After an interrupt: write the present vector as best.safetensors, without a score, where no evaluation has chosen
/// one.
SAC_CHECKED sac_status sac_run_leave_policy(sac_run *r);

SAC_CHECKED sac_status sac_run_write_checkpoint(sac_run *r);
SAC_CHECKED sac_status sac_run_event(sac_run *r, const char *event, const char *text);

/// Run a list of units on all ranks, unless their results are known from before.
SAC_CHECKED sac_status sac_run_round(sac_run *r, sac_round_kind kind, const sac_rollout_job *job);
