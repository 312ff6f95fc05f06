#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "train/run.h"

/// One generation: ask, roll out, tell, and what follows from the returns.

static void ask(const void *user, int individual, float *parameters)
{
    const sac_run *r = user;
    sac_search_ask(r->search, individual, parameters);
    sac_tuned_scatter(&r->tuned, parameters);
}

// training seeds lie above the evaluation's and below 2^52
static uint64_t episode_seed(const sac_run *r, uint64_t generation, int individual, int episode)
{
    uint64_t whose = r->task->train.common_episodes ? 0 : (uint64_t)individual + 1;
    uint64_t mixed =
        sac_mix_seed(sac_mix_seed(r->task->train.seed, SAC_RUN_EPISODES, whose), generation, (uint64_t)episode);
    return SAC_TRAINING_SEED_FIRST + (mixed >> 12);
}

static sac_status report_nan(sac_run *r, const sac_unit *unit)
{
    char text[160];
    snprintf(text, sizeof text,
             "candidate %d, episode seed %" PRIu64 ", step %d: an action or a reward is not a number; it ranks last",
             unit->individual, unit->seed, unit->steps);
    return sac_run_event(r, "nan", text);
}

static sac_status roll_out(sac_run *r)
{
    int population = sac_search_population(r->search), episodes = r->episode_count;
    for (int i = 0; i < population; i++)
        for (int e = 0; e < episodes; e++)
            r->units[i * episodes + e] =
                (sac_unit){.individual = i, .seed = episode_seed(r, r->state.generation, i, e)};

    const sac_rollout_job job = {.units = r->units,
                                 .unit_count = population * episodes,
                                 .patience = r->patience,
                                 .parameters = ask,
                                 .user = r,
                                 .interrupt = r->def->interrupt};
    SAC_TRY(sac_run_round(r, SAC_ROUND_TRAINING, &job));
    for (int i = 0; i < population; i++)
    {
        double sum = 0;
        for (int e = 0; e < episodes; e++)
        {
            const sac_unit *unit = &r->units[i * episodes + e];
            sum += unit->episode_return;
            r->state.steps += (uint64_t)unit->steps;
            if (isnan(unit->episode_return)) SAC_TRY(report_nan(r, unit));
        }
        r->returns[i] = sum / episodes;
    }
    return SAC_OK;
}

// the share of candidates that candidate i beats in an episode, ties by half
static double rank_in_episode(const sac_run *r, int i, int episode, int population)
{
    double mine = r->units[i * r->episode_count + episode].episode_return, beaten = 0;
    for (int k = 0; k < population; k++)
    {
        double theirs = r->units[k * r->episode_count + episode].episode_return;
        if (k != i) beaten += mine > theirs || isnan(theirs) ? 1 : mine == theirs ? 0.5 : 0;
    }
    return beaten / population;
}

// what the search is told
static void shape_fitness(sac_run *r)
{
    int population = sac_search_population(r->search);
    bool ranked = strcmp(r->task->train.fitness, "rank") == 0;
    for (int i = 0; i < population; i++)
    {
        double sum = 0;
        for (int e = 0; ranked && e < r->episode_count; e++) sum += rank_in_episode(r, i, e, population);
        // a candidate whose return is not a number stays one, and ranks last
        r->fitness[i] = ranked && !isnan(r->returns[i]) ? sum / r->episode_count : r->returns[i];
    }
}

static void summarise(sac_run *r)
{
    int population = sac_search_population(r->search), count = 0;
    double sum = 0, squares = 0, best = -INFINITY;
    for (int i = 0; i < population; i++)
    {
        if (isnan(r->returns[i])) continue;
        sum += r->returns[i];
        count++;
        if (r->returns[i] > best) best = r->returns[i];
    }
    double mean = count ? sum / count : NAN;
    for (int i = 0; i < population; i++)
        if (!isnan(r->returns[i])) squares += (r->returns[i] - mean) * (r->returns[i] - mean);
    r->state.best = best;
    r->state.mean = mean;
    r->state.std = count > 1 ? sqrt(squares / (count - 1)) : 0;
}

static sac_status advance_stages(sac_run *r)
{
    double mean = r->state.mean;
    if (isfinite(mean))
        r->state.fitness_average =
            r->state.generation == r->state.attempt_start ? mean : 0.9 * r->state.fitness_average + 0.1 * mean;
    r->note[0] = 0;
    while (r->state.stage < r->task->stage_count && r->state.fitness_average > r->task->stages[r->state.stage].above)
    {
        r->state.stage++;
        sac_run_apply_stages(r);
        snprintf(r->note, sizeof r->note, "stage %d: patience %d, %d episodes", r->state.stage, r->patience,
                 r->episode_count);
        SAC_TRY(sac_run_event(r, "stage", r->note));
    }
    return SAC_OK;
}

// gives up a start that has led nowhere, and makes another
static sac_status restart_if_stuck(sac_run *r)
{
    const sac_task_train *train = &r->task->train;
    uint64_t finished = r->state.generation + 1;
    if (train->restart_after == 0 || r->state.stage > 0 || !(r->state.fitness_average < train->restart_below) ||
        finished - r->state.attempt_start < (uint64_t)train->restart_after)
        return SAC_OK;
    r->state.attempt++;
    r->state.attempt_start = finished;
    snprintf(r->note, sizeof r->note, "fresh start %d: fitness %.1f is below %g", r->state.attempt,
             r->state.fitness_average, train->restart_below);
    SAC_TRY(sac_run_event(r, "restart", r->note));
    return sac_run_create_search(r);
}

// the vector that is evaluated and shipped: the running average of the search's mean
static void update_average(sac_run *r)
{
    double weight = r->average;
    sac_search_mean(r->search, r->mean);
    for (int i = 0; i < r->state.dimension; i++)
        r->state.average[i] = weight == 1 ? (double)r->mean[i]
                                          : r->state.average[i] + weight * ((double)r->mean[i] - r->state.average[i]);
}

sac_status sac_run_advance(sac_run *r)
{
    double begin = sac_run_clock();
    uint64_t steps = r->state.steps;
    SAC_TRY(sac_search_prepare(r->search));
    SAC_TRY(roll_out(r));
    shape_fitness(r);
    SAC_TRY(sac_search_tell(r->search, r->fitness));
    summarise(r);
    SAC_TRY(advance_stages(r));
    update_average(r);
    SAC_TRY(restart_if_stuck(r));
    r->state.generation++;
    r->state.pending = true;
    double duration = sac_run_clock() - begin;
    r->seconds += duration;
    r->progress.steps_per_second = (double)(r->state.steps - steps) / (duration > 1e-9 ? duration : 1e-9);
    return SAC_OK;
}
