#include "train/evolution/evolution.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

/// The search of an attempt, and the settings of its stages.

sac_status sac_evolution_create_search(sac_run *r)
{
    sac_evolution *e = sac_evolution_of(r);
    int n = sac_policy_parameter_count(r->policy);
    float *x0 = SAC_NEW_ARRAY(float, (size_t)n);
    if (!x0) return sac_fail_memory("the first mean");
    sac_search_def def = {.method = r->task->search,
                          .settings = r->task->search_settings.settings,
                          .setting_count = r->task->search_settings.count,
                          .x0 = x0,
                          .seed = sac_mix_seed(r->task->train.seed, SAC_RUN_NOISE, (uint64_t)r->state.attempt)};
    sac_status status = sac_run_draw_start(r, x0);
    sac_search_destroy(e->search);
    e->search = NULL;
    if (status == SAC_OK) status = sac_run_set_start(r, x0);
    def.dimension = r->state.dimension;
    if (status == SAC_OK) status = sac_search_create(&e->search, &def);
    sac_free(x0);
    return status;
}

// the most episodes that a candidate may have in a stage
static int most_episodes(const sac_stage *stage)
{
    return stage->race > stage->episodes ? stage->race : stage->episodes;
}

void sac_evolution_release(sac_evolution *e)
{
    sac_free(e->listed);
    sac_free(e->raced);
    sac_free(e->hard);
    sac_free(e->seen);
    sac_free(e->returns);
    sac_free(e->fitness);
    e->room = 0;
}

// allocates what one generation of the present population needs
static sac_status reserve(sac_run *r)
{
    sac_evolution *e = sac_evolution_of(r);
    size_t population = (size_t)sac_search_population(e->search);
    if (population <= e->room) return SAC_OK;
    size_t episodes = 0, most = 0;
    for (int i = 0; i <= r->task->stage_count; i++)
    {
        sac_stage stage = sac_task_stage(r->task, i);
        if (episodes < (size_t)most_episodes(&stage)) episodes = (size_t)most_episodes(&stage);
        if (most < (size_t)stage.screen) most = (size_t)stage.screen;
    }
    size_t units = population * episodes;
    if (most < units) most = units;
    SAC_TRY(sac_run_reserve_units(r, most));
    sac_evolution_release(e);
    e->hard = SAC_NEW_ARRAY(uint64_t, (units + 1) / 2);
    e->listed = SAC_NEW_ARRAY(int, population);
    e->raced = SAC_NEW_ARRAY(double, units);
    e->seen = r->normaliser.size > 0 ? SAC_NEW_ARRAY(double, units * 2 * (size_t)r->normaliser.size) : NULL;
    e->returns = SAC_NEW_ARRAY(double, population);
    e->fitness = SAC_NEW_ARRAY(double, population);
    if (r->normaliser.size > 0 && !e->seen) return sac_fail_memory("a generation");
    if (!e->hard || !e->listed || !e->raced || !e->returns || !e->fitness) return sac_fail_memory("a generation");
    e->room = population;
    return SAC_OK;
}

// a race of the current stage, where it allows candidates more episodes than they all begin with
static sac_status create_race(sac_run *r)
{
    sac_evolution *e = sac_evolution_of(r);
    const sac_task_train *train = &r->task->train;
    int population = sac_search_population(e->search), keep = (int)(train->race_keep * population + 0.5);
    sac_race_destroy(e->race);
    e->race = NULL;
    if (r->now.race <= r->now.episodes) return SAC_OK;
    return sac_race_create(&e->race, &(sac_race_def){.population = population,
                                                     .keep = keep > 1 ? keep : 1,
                                                     .first = r->now.episodes,
                                                     .most = r->now.race,
                                                     .confidence = train->race_confidence});
}

sac_status sac_evolution_apply_stages(sac_run *r)
{
    sac_evolution *e = sac_evolution_of(r);
    SAC_TRY(reserve(r));
    if (sac_task_may_have_fitness(r->task, "pair") && !sac_search_is_mirrored(e->search))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "train.fitness: pair compares mirrored candidates, and those of search.method: %s are none; "
                        "set search.mirrored: true and an even search.population, or fitness: return",
                        r->task->search);
    r->now = sac_task_stage(r->task, r->state.stage);
    e->ranked = strcmp(r->now.fitness, "rank") == 0;
    e->paired = strcmp(r->now.fitness, "pair") == 0;
    e->most_count = most_episodes(&r->now);
    return create_race(r);
}
