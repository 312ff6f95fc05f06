#pragma once

#include "evolve/race.h"
#include "train/run.h"

/// Learning by evolution: a generation asks a search for candidates, drives their episodes, and tells it what they are
/// worth.

typedef struct sac_evolution
{
    sac_search *search;
    size_t room;         ///< candidates that there is memory for
    sac_race *race;      ///< NULL: every candidate has the same number of episodes
    int *listed;         ///< [population] individuals of a round
    double *seen;        ///< [units, 2 F] what the normaliser was told in a round; NULL without a normaliser
    double *raced;       ///< [units] returns of the episodes of one round of a race
    double *returns;     ///< [population] mean return of each candidate
    double *fitness;     ///< [population] what the search is told
    bool ranked, paired; ///< the stage's fitness
    int most_count;      ///< the most episodes that a candidate may have in the stage
    uint64_t *hard;      ///< [hard_count] seeds of this generation on which the search's mean does worst
    int hard_count;
} sac_evolution;

static inline sac_evolution *sac_evolution_of(const sac_run *r)
{
    return r->learned;
}

/// The search of the current attempt, with the running average at its start.
SAC_CHECKED sac_status sac_evolution_create_search(sac_run *r);

/// Release the memory of a generation.
void sac_evolution_release(sac_evolution *e);

/// Bring steps, patience, episodes and race to what stages 0..state.stage-1 ask for, with room for the search's
/// population.
SAC_CHECKED sac_status sac_evolution_apply_stages(sac_run *r);

/// Describe a stage that begins, such as "stage 2, above 500: episodes 4 -> 8, sigma times 0.5". The text lists every
/// setting that the stage changes, by the name that the task file has for it.
/// @param was, now  what sac_task_stage gives for the stage before and for this one
void sac_stage_describe(char *text, size_t size, int number, const sac_stage *was, const sac_stage *now);

/// The seed of an episode of this generation.
uint64_t sac_evolution_episode_seed(const sac_run *r, int individual, int episode);

/// Choose the generation's hard episodes; `steps` grows by what that took.
SAC_CHECKED sac_status sac_evolution_screen(sac_run *r, uint64_t *steps);

/// The seeds of the `count` worst units, worst first; of equals the first. Units change places.
void sac_worst_seeds(uint64_t *seeds, int count, sac_unit *units, int unit_count);

/// What mirrored candidates 2k and 2k + 1 are worth, which drove the same episodes: half the difference of their
/// returns and its negative. NaN where the own return is NaN.
void sac_pair_fitness(double *fitness, const double *returns, int population);

/// The episodes of a generation's candidates: fills `returns` and `fitness`. An interrupt leaves `state` as it was.
SAC_CHECKED sac_status sac_evolution_drive(sac_run *r);

/// Ask, roll out, tell; an interrupt leaves the search as it was.
SAC_CHECKED sac_status sac_evolution_advance(sac_run *r);
