#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "train/evolution/evolution.h"

/// One generation of evolution: ask, roll out, tell, and what follows from the returns.

static void summarise(sac_run *r)
{
    const sac_evolution *e = sac_evolution_of(r);
    int population = sac_search_population(e->search), count = 0;
    double sum = 0, squares = 0, best = -INFINITY;
    for (int i = 0; i < population; i++)
    {
        if (isnan(e->returns[i])) continue;
        sum += e->returns[i];
        count++;
        if (e->returns[i] > best) best = e->returns[i];
    }
    double mean = count ? sum / count : NAN;
    for (int i = 0; i < population; i++)
        if (!isnan(e->returns[i])) squares += (e->returns[i] - mean) * (e->returns[i] - mean);
    r->state.best = best;
    r->state.mean = mean;
    r->state.std = count > 1 ? sqrt(squares / (count - 1)) : 0;
}

// an event of the run, which stands with the others of this generation in its note
static sac_status tell(sac_run *r, const char *event, const char *words)
{
    size_t used = strlen(r->note);
    snprintf(r->note + used, sizeof r->note - used, "%s%s", used ? "; " : "", words);
    return sac_run_event(r, event, words);
}

static sac_status advance_stages(sac_run *r)
{
    double mean = r->state.mean;
    if (isfinite(mean))
        r->state.fitness_average =
            r->state.generation == r->state.attempt_start ? mean : 0.9 * r->state.fitness_average + 0.1 * mean;
    while (r->state.stage < r->task->stage_count && r->state.fitness_average > r->task->stages[r->state.stage].above)
    {
        const sac_stage was = r->now;
        r->state.stage++;
        SAC_TRY(sac_evolution_apply_stages(r));
        sac_search_scale_sigma(sac_evolution_of(r)->search, r->now.sigma);
        sac_pace_change(&r->pace);
        char words[256];
        sac_stage_describe(words, sizeof words, r->state.stage, &was, &r->now);
        SAC_TRY(tell(r, "stage", words));
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
    char fitness[SAC_VALUE_SIZE], words[256];
    sac_format_value(fitness, r->state.fitness_average);
    snprintf(words, sizeof words, "fresh start %d: fitness %s is below %g", r->state.attempt, fitness,
             train->restart_below);
    SAC_TRY(tell(r, "restart", words));
    SAC_TRY(sac_evolution_create_search(r));
    return sac_evolution_apply_stages(r);
}

// Follows a search that has restarted by itself: its population has changed, and its mean is unrelated to the last one.
static sac_status follow_restart(sac_run *r)
{
    const sac_search *search = sac_evolution_of(r)->search;
    if (!sac_search_note(search)) return SAC_OK;
    char words[256];
    snprintf(words, sizeof words, "%s; population %d", sac_search_note(search), sac_search_population(search));
    SAC_TRY(tell(r, "restart", words));
    sac_search_mean(search, r->vector);
    for (int i = 0; i < r->state.dimension; i++) r->state.average[i] = (double)r->vector[i];
    sac_pace_change(&r->pace); // for the new population
    return sac_evolution_apply_stages(r);
}

sac_status sac_evolution_advance(sac_run *r)
{
    sac_evolution *e = sac_evolution_of(r);
    SAC_TRY(sac_search_prepare(e->search));
    sac_phases_end(&r->phases, SAC_PHASE_SEARCH);
    SAC_TRY(sac_evolution_drive(r));
    sac_phases_end_rollouts(&r->phases, r->rollouts);
    summarise(r);
    SAC_TRY(sac_search_tell(e->search, e->fitness));
    SAC_TRY(advance_stages(r));
    sac_search_mean(e->search, r->vector);
    sac_run_update_average(r, r->vector);
    SAC_TRY(follow_restart(r));
    return restart_if_stuck(r);
}
