#pragma once

#include "saccade/train.h"

/// Successive halving: every point of a sweep is trained to the first rung, the best of them are trained on to the next
/// one, which is `reduction` times as far, and so on. What goes on is a pure function of what the runs have written up
/// to the rung, so it does not matter who trained them, when, or how often that was interrupted.

/// What a run is asked for at a rung.
typedef struct sac_rung
{
    const sac_halving *halving;
    uint64_t budget;      ///< generations or steps
    uint64_t generations; ///< at which a run ends; 0: at those that it was last asked for
    uint64_t every;       ///< generations between its evaluations
} sac_rung;

/// How far a run has come, and how good it was at a rung.
typedef struct sac_standing
{
    uint64_t generation; ///< of the row that reaches the rung, or the last one of a run that ended before; 0: neither
    double evaluation;   ///< the best up to there of those on the task's schedule; before the first of them the last of
                         ///< the others; NaN: none
    uint64_t checkpoint; ///< generation of the newest checkpoint; 0: none
    bool over;           ///< it finished, or its search stopped
    bool ended;          ///< it is over, and that at the rung or before
    bool failed;         ///< it cannot go on
    bool idle;           ///< nobody trains it
    bool pruned;         ///< it was told already that others go on
} sac_standing;

/// The budget of a rung, 0, 1, ..., in generations or steps.
uint64_t sac_halving_budget(const sac_halving *halving, int rung);

/// How many of `points` go on after a rung: points / reduction, rounded down, but at least one.
int sac_halving_kept(const sac_halving *halving, int points);

/// The score of a point: the median over its seeds. Not a number ranks below every number and spoils the median that it
/// takes part in.
/// @param values  [count], sorted in place
double sac_halving_score(double *values, int count);

/// Rank points: the highest score first; of equal ones, the one that stands first in the sweep; what is not a number
/// last.
/// @param[out] order  [count] indices of scores
void sac_halving_rank(int *order, const double *scores, int count);

/// Read how a run stands at a rung.
SAC_CHECKED sac_status sac_standing_read(sac_standing *standing, const sac_rung *rung, const char *run_dir);

/// Tell whether a run need not be trained further for this rung.
bool sac_standing_is_there(const sac_standing *standing);
