#include <math.h>

#include "base/error.h"
#include "base/random.h"
#include "train/evolution/evolution.h"

/// Which episodes a generation drives: fresh ones, or every other one of those that the search's mean does worst on.
///
/// Late in a training the mean does well on most episodes, where luck alone tells candidates apart; what there is to
/// learn is in the few that it fails on. Trying the mean on some costs little beside a generation of candidates.
/// Pairs have episodes of their own: the bad ones are dealt out, one to every other of all that the pairs drive.

// training seeds lie above the evaluation's and below 2^52
static uint64_t draw_seed(const sac_run *r, uint64_t stream, uint64_t whose, int episode)
{
    uint64_t mixed =
        sac_mix_seed(sac_mix_seed(r->task->train.seed, stream, whose), r->state.generation, (uint64_t)episode);
    return SAC_TRAINING_SEED_FIRST + (mixed >> 12);
}

uint64_t sac_evolution_episode_seed(const sac_run *r, int individual, int episode)
{
    const sac_evolution *e = sac_evolution_of(r);
    int slot = e->paired ? individual / 2 * e->most_count + episode : episode;
    if (slot % 2 == 0 && slot / 2 < e->hard_count) return e->hard[slot / 2];
    uint64_t whose = r->task->train.common_episodes ? 0 : (uint64_t)individual + 1;
    if (e->paired) whose = (uint64_t)individual / 2 + 1;
    return draw_seed(r, SAC_RUN_EPISODES, whose, episode);
}

static void mean_vector(const void *user, int individual, float *parameters)
{
    const sac_run *r = user;
    (void)individual;
    sac_search_mean(sac_evolution_of(r)->search, parameters);
    sac_tuned_scatter(&r->tuned, parameters);
}

// Tells whether a did worse than b. A return of NaN counts as the worst.
static bool is_worse(const sac_unit *a, const sac_unit *b)
{
    if (isnan(a->episode_return) || isnan(b->episode_return))
        return isnan(a->episode_return) && !isnan(b->episode_return);
    return a->episode_return < b->episode_return;
}

void sac_worst_seeds(uint64_t *seeds, int count, sac_unit *units, int unit_count)
{
    for (int k = 0; k < count; k++)
    {
        int worst = k;
        for (int i = k + 1; i < unit_count; i++)
            if (is_worse(&units[i], &units[worst])) worst = i;
        sac_unit unit = units[worst];
        for (int i = worst; i > k; i--) units[i] = units[i - 1]; // the others keep their order
        units[k] = unit;
        seeds[k] = unit.seed;
    }
}

sac_status sac_evolution_screen(sac_run *r, uint64_t *steps)
{
    sac_evolution *e = sac_evolution_of(r);
    int slots = e->paired ? sac_search_population(e->search) / 2 * e->most_count : e->most_count;
    int wanted = (slots + 1) / 2;
    e->hard_count = wanted < r->now.screen ? wanted : r->now.screen;
    if (e->hard_count == 0) return SAC_OK;
    for (int i = 0; i < r->now.screen; i++) r->units[i] = (sac_unit){.seed = draw_seed(r, SAC_RUN_SCREEN, 0, i)};
    const sac_rollout_job job = {.units = r->units,
                                 .unit_count = r->now.screen,
                                 .steps = r->now.steps,
                                 .patience = r->now.patience,
                                 .parameters = mean_vector,
                                 .user = r,
                                 .interrupt = r->def->interrupt};
    SAC_TRY(sac_run_round(r, SAC_ROUND_SCREENING, &job));
    for (int i = 0; i < r->now.screen; i++) *steps += (uint64_t)r->units[i].steps;
    sac_worst_seeds(e->hard, e->hard_count, r->units, r->now.screen);
    return SAC_OK;
}
