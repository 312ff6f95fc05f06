#pragma once

#include "saccade/base.h"

/// Racing decides how many episodes each candidate of a generation gets (after Heidrich-Meisner and Igel 2009). All
/// candidates begin with the same few episodes. After each round those candidates leave whose returns are, with
/// confidence, below those of the `keep` best; the others go on to the next episode. So a generation whose returns
/// differ a lot costs few episodes, and one whose returns are close costs more, up to a limit.
///
/// Candidates that are compared have always had the same episodes. A race is a pure function of the returns, and it
/// does not matter who measures them or in which order.

typedef struct sac_race_def
{
    int population;
    int keep;          ///< how many of the best must be told apart from the others, because the search learns from them
    int first;         ///< episodes that all candidates have, at least 2 for a race to end early
    int most;          ///< episodes that a candidate has at most
    double confidence; ///< standard errors of a difference at which a candidate leaves; 2 means one wrong in 44
} sac_race_def;

typedef struct sac_race sac_race;

/// @return SAC_ERROR_ARGUMENT for numbers that define no race, SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_race_create(sac_race **out, const sac_race_def *def);
void sac_race_destroy(sac_race *race);

/// Begin a generation's race.
void sac_race_begin(sac_race *race);

/// Give the next round: episodes *episode .. *episode + *count - 1 for each of the individuals [population] that are
/// listed, in rising order. @return how many individuals; 0 when the race is over
int sac_race_next(const sac_race *race, int *individuals, int *episode, int *count);

/// Take the round's returns, [listed individuals, count]; NaN is worse than any number, and its candidate leaves.
void sac_race_tell(sac_race *race, const double *returns);

/// Compute the fitness [population], in the units of the returns: the mean of a candidate's returns, lowered where
/// necessary below that of all candidates that stayed longer. Equal candidates get equal fitness, and NaN stays NaN.
void sac_race_fitness(const sac_race *race, double *fitness);

/// Compute the mean return [population] over each candidate's own episodes, for reports.
void sac_race_means(const sac_race *race, double *means);

/// Count the episodes so far, of all candidates together.
int64_t sac_race_cost(const sac_race *race);
