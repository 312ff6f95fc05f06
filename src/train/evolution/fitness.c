#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "train/evolution/evolution.h"

/// What a generation's candidates are worth: their episodes, a fixed number for each or as many as a race wants, and
/// the fitness that the search is told.

static void ask(const void *user, int individual, float *parameters)
{
    const sac_run *r = user;
    sac_search_ask(sac_evolution_of(r)->search, individual, parameters);
    sac_tuned_scatter(&r->tuned, parameters);
}

// Episodes first .. first+count-1 for each of the listed individuals; `steps` grows by what they took.
static sac_status drive_round(sac_run *r, int listed, int first, int count, uint64_t *steps)
{
    const sac_evolution *e = sac_evolution_of(r);
    for (int i = 0; i < listed; i++)
        for (int k = 0; k < count; k++)
            r->units[i * count + k] =
                (sac_unit){.individual = e->listed[i], .seed = sac_evolution_episode_seed(r, e->listed[i], first + k)};

    const sac_rollout_job job = {.units = r->units,
                                 .unit_count = listed * count,
                                 .seen = e->seen,
                                 .steps = r->now.steps,
                                 .patience = r->now.patience,
                                 .parameters = ask,
                                 .user = r,
                                 .interrupt = r->def->interrupt};
    SAC_TRY(sac_run_round(r, SAC_ROUND_TRAINING, &job));
    for (int i = 0; i < job.unit_count; i++)
    {
        *steps += (uint64_t)r->units[i].steps;
        if (e->seen)
            sac_normaliser_add(&r->normaliser, r->units[i].steps,
                               e->seen + (size_t)(2 * r->normaliser.size) * (size_t)i);
    }
    return sac_run_report_bad(r, SAC_ROUND_TRAINING, job.unit_count);
}

// the share of candidates that candidate i beats in an episode, ties by half
static double rank_in_episode(const sac_run *r, int i, int episode, int population)
{
    double mine = r->units[i * r->now.episodes + episode].episode_return, beaten = 0;
    for (int k = 0; k < population; k++)
    {
        double theirs = r->units[k * r->now.episodes + episode].episode_return;
        if (k != i) beaten += mine > theirs || isnan(theirs) ? 1 : mine == theirs ? 0.5 : 0;
    }
    return beaten / population;
}

void sac_pair_fitness(double *fitness, const double *returns, int population)
{
    for (int i = 0; i + 1 < population; i += 2)
    {
        double half = (returns[i] - returns[i + 1]) / 2;
        // Where one candidate of a pair has a return that is not a number, no difference is known, and the other one's
        // fitness is 0.
        fitness[i] = isnan(half) && !isnan(returns[i]) ? 0 : half;
        fitness[i + 1] = isnan(half) && !isnan(returns[i + 1]) ? 0 : -half;
    }
}

// drives the same number of episodes for every candidate
static sac_status drive_all(sac_run *r, uint64_t *steps)
{
    sac_evolution *e = sac_evolution_of(r);
    int population = sac_search_population(e->search), episodes = r->now.episodes;
    for (int i = 0; i < population; i++) e->listed[i] = i;
    SAC_TRY(drive_round(r, population, 0, episodes, steps));
    for (int i = 0; i < population; i++)
    {
        double sum = 0, ranks = 0;
        for (int k = 0; k < episodes; k++) sum += r->units[i * episodes + k].episode_return;
        for (int k = 0; e->ranked && k < episodes; k++) ranks += rank_in_episode(r, i, k, population);
        e->returns[i] = sum / episodes;
        // a candidate whose return is NaN keeps NaN as its fitness and ranks last
        e->fitness[i] = e->ranked && !isnan(e->returns[i]) ? ranks / episodes : e->returns[i];
    }
    if (e->paired) sac_pair_fitness(e->fitness, e->returns, population);
    return SAC_OK;
}

// drives a race: candidates get episodes until the best are told apart, or until they have the most that is allowed
static sac_status drive_race(sac_run *r, uint64_t *steps)
{
    sac_evolution *e = sac_evolution_of(r);
    int episode, count, listed;
    sac_race_begin(e->race);
    while ((listed = sac_race_next(e->race, e->listed, &episode, &count)) > 0)
    {
        SAC_TRY(drive_round(r, listed, episode, count, steps));
        for (int i = 0; i < listed * count; i++) e->raced[i] = r->units[i].episode_return;
        sac_race_tell(e->race, e->raced);
    }
    sac_race_means(e->race, e->returns);
    sac_race_fitness(e->race, e->fitness);
    return SAC_OK;
}

// A generation without a single number teaches nothing, and neither will those after it: the run fails here. What is
// known of it is forgotten, so that a resume drives it anew in a world that may have been mended.
static sac_status check_numbers(sac_run *r)
{
    const sac_evolution *e = sac_evolution_of(r);
    int population = sac_search_population(e->search), numbers = 0;
    for (int i = 0; i < population; i++) numbers += !isnan(e->returns[i]);
    if (numbers > 0) return SAC_OK;
    char text[256];
    snprintf(text, sizeof text, "no candidate of generation %" PRIu64 " has a return that is a number: %s",
             r->state.generation + 1, r->first_bad);
    SAC_TRY(sac_run_event(r, "failed", text));
    if (sac_run_writes(r)) SAC_TRY(sac_returns_clear(r->known));
    return sac_fail(SAC_ERROR_ENVIRONMENT, "%s", text);
}

sac_status sac_evolution_drive(sac_run *r)
{
    uint64_t steps = 0;
    r->first_bad[0] = 0;
    sac_normaliser_begin(&r->normaliser);
    SAC_TRY(sac_evolution_screen(r, &steps));
    SAC_TRY(sac_evolution_of(r)->race ? drive_race(r, &steps) : drive_all(r, &steps));
    SAC_TRY(check_numbers(r));
    r->state.steps += steps;
    sac_normaliser_commit(&r->normaliser);
    sac_normaliser_write(&r->normaliser, r->policy, r->tuned.rest);
    return SAC_OK;
}
