#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "files/atomic.h"
#include "run/live.h"
#include "train/run.h"

/// What comes of a generation: its evaluation, and what is written.

static const double LIVE_PERIOD = 0.25; // seconds from one progress.json to the next, at least

static sac_status write_live(sac_run *r)
{
    r->shown = sac_clock();
    return sac_live_write(r->def->run_dir, &r->progress);
}

static void evaluated_vector(const void *user, int individual, float *parameters)
{
    const sac_run *r = user;
    (void)individual;
    for (int i = 0; i < r->state.dimension; i++) parameters[i] = (float)r->state.average[i];
    sac_tuned_scatter(&r->tuned, parameters);
}

/// Writes the evaluated vector as a policy; `score` may be NULL.
static sac_status save_policy(sac_run *r, const char *name, const sac_score *score)
{
    evaluated_vector(r, 0, r->vector);
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, r->def->run_dir, name));
    sac_policy_info info = {.seed = r->task->train.seed,
                            .generation = (int)r->state.generation,
                            .score = score ? score->mean : NAN,
                            .score_std = score ? score->std : NAN,
                            .score_episodes = score ? score->episodes : 0,
                            .settings = (sac_setting *)r->task->env_settings.settings,
                            .setting_count = r->task->env_settings.count};
    snprintf(info.environment, sizeof info.environment, "%s", r->task->env);
    snprintf(info.variant, sizeof info.variant, "%s", r->task->variant);
    snprintf(info.version, sizeof info.version, "%s", sac_version());
    return sac_policy_save(r->policy, r->vector, &info, path);
}

static sac_status evaluate(sac_run *r)
{
    const sac_task_evaluation *evaluation = &r->task->evaluation;
    for (int i = 0; i < evaluation->episodes; i++)
        r->units[i] = (sac_unit){.seed = evaluation->first_seed + (uint64_t)i};
    const sac_rollout_job job = {.units = r->units,
                                 .unit_count = evaluation->episodes,
                                 .parameters = evaluated_vector,
                                 .user = r,
                                 .interrupt = r->def->interrupt};
    SAC_TRY(sac_run_round(r, SAC_ROUND_EVALUATION, &job));
    SAC_TRY(sac_run_report_bad(r, SAC_ROUND_EVALUATION, job.unit_count));
    for (int i = 0; i < evaluation->episodes; i++)
        r->episodes[i] = (sac_episode){r->units[i].seed, r->units[i].episode_return, r->units[i].steps};
    r->progress.evaluated = true;
    r->progress.evaluation = sac_score_of(r->episodes, evaluation->episodes);
    return SAC_OK;
}

static bool has_best(const sac_run *r)
{
    return r->state.best_evaluation > -INFINITY;
}

// Evaluations on the task's schedule decide `best`, so that it follows from the task and the generation however often
// the run was stopped on its way. A run that ends before the first of them is evaluated at its end, so that it leaves a
// policy; that score is kept neither in the state nor in the policy's file, so that the file is the same as that of a
// run that was interrupted there, and the first evaluation on schedule replaces the policy.
static sac_status evaluate_if_due(sac_run *r, bool last)
{
    int every = r->task->evaluation.every;
    bool due = every > 0 && r->state.generation % (uint64_t)every == 0;
    if (!due && !(every > 0 && last && !has_best(r))) return SAC_OK;
    SAC_TRY(evaluate(r));
    double mean = r->progress.evaluation.mean;
    bool better = due && mean > r->state.best_evaluation;
    if (better) r->state.best_evaluation = mean;
    if (!better && !(last && !has_best(r))) return SAC_OK;
    return sac_run_writes(r) ? save_policy(r, "best.safetensors", better ? &r->progress.evaluation : NULL) : SAC_OK;
}

sac_status sac_run_leave_policy(sac_run *r)
{
    bool any = has_best(r) || r->task->evaluation.every == 0;
    return any || !sac_run_writes(r) ? SAC_OK : save_policy(r, "best.safetensors", NULL);
}

sac_status sac_run_write_checkpoint(sac_run *r)
{
    if (!sac_run_writes(r)) return SAC_OK;
    SAC_TRY(sac_journal_sync(r->journal));
    if (r->progress.generation > 0) SAC_TRY(write_live(r)); // those who watch see where the run stands, stopped or not
    SAC_TRY(save_policy(r, "mean.safetensors", NULL));
    const sac_kept kept = r->learner->kept(r);
    SAC_TRY(sac_checkpoint_write(r->def->run_dir, &kept, &r->state));
    return sac_returns_clear(r->known);
}

sac_status sac_run_finish(sac_run *r, uint64_t generations)
{
    sac_progress *p = &r->progress;
    double begin = sac_clock();
    bool last = r->state.generation >= generations || sac_run_stop(r), ends = last || sac_run_pauses(r);
    p->evaluated = false;
    sac_phases_begin(&r->phases);
    SAC_TRY(evaluate_if_due(r, ends));
    sac_phases_end(&r->phases, SAC_PHASE_EVALUATION);
    sac_rollouts_times(r->rollouts, &r->phases.acting, &r->phases.stepping);
    r->seconds += sac_clock() - begin;
    r->state.pending = false;

    p->generation = r->state.generation;
    p->generations = generations;
    p->steps = r->state.steps;
    p->bad_episodes = r->bad_episodes;
    p->seconds = r->seconds;
    p->seconds_left = sac_pace_left(&r->pace, p->generation, last ? p->generation : generations,
                                    (uint64_t)r->task->evaluation.every, r->seconds);
    p->limit_left = r->deadline > 0 ? fmax(r->deadline - sac_clock(), 0) : NAN;
    p->best = r->state.best;
    p->mean = r->state.mean;
    p->std = r->state.std;
    p->sigma = r->learner->sigma(r);
    p->best_evaluation = has_best(r) || !p->evaluated ? r->state.best_evaluation : p->evaluation.mean;
    p->note = r->note[0] ? r->note : NULL;
    p->learning = r->learning[0] ? r->learning : NULL;
    memcpy(p->phases, r->phases.seconds, sizeof p->phases);
    if (!sac_run_writes(r)) return SAC_OK;
    SAC_TRY(sac_journal_write(r->journal, p));
    if (ends || sac_clock() - r->shown >= LIVE_PERIOD) SAC_TRY(write_live(r));
    if (ends || r->state.generation % (uint64_t)r->task->train.checkpoint_every == 0)
        SAC_TRY(sac_run_write_checkpoint(r));
    sac_phases_end(&r->phases, SAC_PHASE_FILES);
    if (r->def->progress) r->def->progress(r->def->user, p);
    return SAC_OK;
}
