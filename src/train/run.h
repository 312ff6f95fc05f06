#pragma once

#include "evolve/race.h"
#include "rollout/comm.h"
#include "rollout/returns.h"
#include "rollout/rollout.h"
#include "run/checkpoint.h"
#include "run/folder.h"
#include "run/journal.h"
#include "run/pace.h"
#include "run/phases.h"
#include "saccade/train.h"
#include "train/filter.h"
#include "train/tuned.h"

/// A run under way. Every rank holds the same one, the search included, and takes it through the same steps; rank 0
/// alone has the folder with its journal.
enum
{
    SAC_RUN_NOTE = 1024
};

typedef struct sac_run
{
    const sac_train_def *def;
    const sac_task *task;
    sac_comm *comm, *own_comm; ///< own_comm: what to close in the end
    sac_policy *policy;
    sac_search *search;
    sac_rollouts *rollouts;
    sac_folder folder;    ///< rank 0
    sac_journal *journal; ///< rank 0
    sac_returns *known;   ///< finished rounds since the last checkpoint
    sac_unit *units;
    sac_episode *episodes;
    size_t room;     ///< candidates that there is memory for
    sac_race *race;  ///< NULL: every candidate has the same number of episodes
    int *listed;     ///< [population] individuals of a round
    double *seen;    ///< [units, 2 F] what the filter was told in a round; NULL without a filter
    double *raced;   ///< [units] returns of a round
    double *returns; ///< [population] mean over a candidate's episodes
    double *fitness; ///< [population] what the search is told
    float *vector;   ///< [dimension] the mean, or what is evaluated, as floats
    sac_tuned tuned;
    sac_filter filter;
    sac_run_state state;
    uint64_t fingerprint; ///< of the task
    sac_stage now;        ///< the settings of the current stage
    bool ranked, paired;  ///< its fitness
    int most_count;       ///< episodes that a candidate may have in it
    uint64_t *hard;       ///< [hard_count] seeds of the generation that the mean does worst on
    int hard_count;
    double seconds; ///< of training, resumed parts included
    sac_phases phases;
    sac_pace pace;
    sac_progress progress;
    double deadline; ///< when the caller means to interrupt, by sac_clock(); 0: never
    double shown;    ///< when progress.json was written last
    /// All that changed after this generation, joined by "; "; "": nothing.
    char note[SAC_RUN_NOTE];
    uint64_t bad_episodes; ///< whose return is not a number, since this process began
    char first_bad[160];   ///< the first of the present generation, in words; "": none
    bool under_way;        ///< the generation after state.generation, which events are then of
} sac_run;

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

typedef enum sac_round_kind
{
    SAC_ROUND_TRAINING,
    SAC_ROUND_EVALUATION,
    SAC_ROUND_SCREENING
} sac_round_kind;

/// Create everything, or restore it. After a failure the run must be closed as well.
SAC_CHECKED sac_status sac_run_open(sac_run *r);
sac_status sac_run_close(sac_run *r, sac_status status);

/// The search of the current attempt, with the running average at its start.
SAC_CHECKED sac_status sac_run_create_search(sac_run *r);

/// Bring steps, patience, episodes and race to what stages 0..state.stage-1 ask for, with room for the search's
/// population.
SAC_CHECKED sac_status sac_run_apply_stages(sac_run *r);

/// What begins with a stage, such as "stage 2, above 500: episodes 4 -> 8, sigma times 0.5": all that is another than
/// before, by the names that the task file has for it.
/// @param was, now  what sac_task_stage gives for it and for the one before
void sac_stage_describe(char *text, size_t size, int number, const sac_stage *was, const sac_stage *now);

/// The seed of an episode of this generation.
uint64_t sac_run_episode_seed(const sac_run *r, int individual, int episode);

/// Choose the generation's hard episodes; `steps` grows by what that took.
SAC_CHECKED sac_status sac_run_screen(sac_run *r, uint64_t *steps);

/// The seeds of the `count` worst units, worst first; of equals the first. Units change places.
void sac_worst_seeds(uint64_t *seeds, int count, sac_unit *units, int unit_count);

/// What mirrored candidates 2k and 2k + 1 are worth, which drove the same episodes: half the difference of their
/// returns and its negative. NaN where the own return is NaN.
void sac_pair_fitness(double *fitness, const double *returns, int population);

/// The episodes of a generation's candidates: fills `returns` and `fitness`. An interrupt leaves `state` as it was.
SAC_CHECKED sac_status sac_run_drive(sac_run *r);

/// Count and report the units whose return is not a number: a line for the first, the second, the fourth, the eighth of
/// them and so on, so that a broken world does not fill the disk.
SAC_CHECKED sac_status sac_run_report_bad(sac_run *r, sac_round_kind kind, int unit_count);

/// Ask, roll out, tell; an interrupt leaves the search as it was.
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
