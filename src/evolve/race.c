#include "evolve/race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct runner
{
    int individual, episodes; // episodes it has had
    double mean;
    double *returns; // [most]
} runner;

struct sac_race
{
    sac_race_def def;
    int running;      // runners 0..running-1 are still in the race, in rising order of individuals
    runner *runners;  // [population]
    runner **ranking; // [population], scratch
    double *returns;  // [population, most]
};

sac_status sac_race_create(sac_race **out, const sac_race_def *def)
{
    *out = NULL;
    if (def->population < 1 || def->keep < 1 || def->keep > def->population)
        return sac_fail(SAC_ERROR_ARGUMENT, "a race keeps %d of %d, expected at least one and no more than there are",
                        def->keep, def->population);
    if (def->first < 1 || def->most < def->first || !(def->confidence >= 0))
        return sac_fail(SAC_ERROR_ARGUMENT, "a race of %d to %d episodes at confidence %g makes no sense", def->first,
                        def->most, def->confidence);
    sac_race *race = SAC_NEW(sac_race);
    if (!race) return sac_fail_memory("a race");
    race->def = *def;
    size_t population = (size_t)def->population;
    race->runners = SAC_NEW_ARRAY(runner, population);
    race->ranking = SAC_NEW_ARRAY(runner *, population);
    race->returns = SAC_NEW_MATRIX(double, population, (size_t)def->most);
    if (!race->runners || !race->ranking || !race->returns)
    {
        sac_race_destroy(race);
        return sac_fail_memory("a race");
    }
    sac_race_begin(race);
    *out = race;
    return SAC_OK;
}

void sac_race_destroy(sac_race *race)
{
    if (!race) return;
    sac_free(race->runners);
    sac_free(race->ranking);
    sac_free(race->returns);
    sac_free(race);
}

void sac_race_begin(sac_race *race)
{
    race->running = race->def.population;
    for (int i = 0; i < race->def.population; i++)
        race->runners[i] = (runner){.individual = i, .returns = race->returns + (size_t)i * (size_t)race->def.most};
}

static bool is_over(const sac_race *race)
{
    int driven = race->running > 0 ? race->runners[0].episodes : 0;
    // The race is over once only the best are left, or all have had the most episodes.
    return driven > 0 && (race->running <= race->def.keep || driven >= race->def.most);
}

int sac_race_next(const sac_race *race, int *individuals, int *episode, int *count)
{
    if (race->running == 0 || is_over(race)) return 0;
    for (int i = 0; i < race->running; i++) individuals[i] = race->runners[i].individual;
    *episode = race->runners[0].episodes;
    *count = *episode == 0 ? race->def.first : 1;
    return race->running;
}

static void add_returns(runner *r, const double *returns, int count)
{
    double sum = 0;
    memcpy(r->returns + r->episodes, returns, (size_t)count * sizeof *returns);
    r->episodes += count;
    for (int e = 0; e < r->episodes; e++) sum += r->returns[e];
    r->mean = sum / r->episodes;
}

// A larger mean comes first, NaN comes last, and equal means are ordered by individual.
static int compare_means(const void *a, const void *b)
{
    const runner *left = *(runner *const *)a, *right = *(runner *const *)b;
    if (isnan(left->mean) != isnan(right->mean)) return isnan(left->mean) - isnan(right->mean);
    if (left->mean > right->mean) return -1;
    if (left->mean < right->mean) return 1;
    return (left->individual > right->individual) - (left->individual < right->individual);
}

// Standard error of the difference of two runners' means. It comes from the deviations of the returns after each
// runner's and each episode's mean is subtracted, because an episode that is easy for all says nothing about a
// difference. All runners share it, because a single pair has too few episodes for an estimate.
static double standard_error(const sac_race *race)
{
    int episodes = race->runners[0].episodes, count = 0;
    double squares = 0;
    for (int i = 0; i < race->running; i++) count += !isnan(race->runners[i].mean);
    if (episodes < 2 || count < 2) return INFINITY;
    for (int e = 0; e < episodes; e++)
    {
        double track = 0;
        for (int i = 0; i < race->running; i++)
        {
            const runner *r = &race->runners[i];
            if (!isnan(r->mean)) track += (r->returns[e] - r->mean) / count;
        }
        for (int i = 0; i < race->running; i++)
        {
            const runner *r = &race->runners[i];
            double rest = r->returns[e] - r->mean - track;
            if (!isnan(r->mean)) squares += rest * rest;
        }
    }
    return sqrt(2 * squares / (count - 1) / (episodes - 1) / episodes);
}

void sac_race_tell(sac_race *race, const double *returns)
{
    int episode = race->runners[0].episodes, count = episode == 0 ? race->def.first : 1, running = race->running;
    SAC_ASSERT(running > 0 && !is_over(race));
    for (int i = 0; i < running; i++)
    {
        add_returns(&race->runners[i], returns + (size_t)i * (size_t)count, count);
        race->ranking[i] = &race->runners[i];
    }
    qsort(race->ranking, (size_t)running, sizeof *race->ranking, compare_means);
    if (running <= race->def.keep) return;
    double bar = race->ranking[race->def.keep - 1]->mean, reach = race->def.confidence * standard_error(race);

    // Runners that leave move behind those that stay; both groups keep their order.
    int staying = 0;
    for (int i = 0; i < running; i++)
    {
        runner r = race->runners[i];
        if (isnan(r.mean) || bar - r.mean > reach) continue;
        memmove(race->runners + staying + 1, race->runners + staying, (size_t)(i - staying) * sizeof r);
        race->runners[staying++] = r;
    }
    race->running = staying;
}

static int compare_places(const void *a, const void *b)
{
    const runner *left = *(runner *const *)a, *right = *(runner *const *)b;
    if (isnan(left->mean) == isnan(right->mean) && left->episodes != right->episodes)
        return left->episodes > right->episodes ? -1 : 1;
    return compare_means(a, b);
}

static bool are_equal(const runner *a, const runner *b)
{
    return a->mean == b->mean && a->episodes == b->episodes;
}

void sac_race_fitness(const sac_race *race, double *fitness)
{
    int count = race->def.population;
    runner **ranking = race->ranking;
    for (int i = 0; i < count; i++) ranking[i] = &race->runners[i];
    qsort(ranking, (size_t)count, sizeof *ranking, compare_places);
    double above = INFINITY;
    for (int i = 0; i < count; i++)
    {
        const runner *r = ranking[i];
        // A runner that left before another gets less than that one, even if its few episodes were lucky.
        bool equal = i > 0 && are_equal(r, ranking[i - 1]);
        if (!isnan(r->mean) && !equal) above = r->mean < above ? r->mean : nextafter(above, -INFINITY);
        fitness[r->individual] = isnan(r->mean) ? NAN : above;
    }
}

void sac_race_means(const sac_race *race, double *means)
{
    for (int i = 0; i < race->def.population; i++) means[race->runners[i].individual] = race->runners[i].mean;
}

int64_t sac_race_cost(const sac_race *race)
{
    int64_t cost = 0;
    for (int i = 0; i < race->def.population; i++) cost += race->runners[i].episodes;
    return cost;
}
