#pragma once

#include "evolve/common.h"

/// Restarts, for every method: a search that has a reason to stop begins anew, at its first mean or near it.
///
///     ipop    each time with a population that is `growth` times as large (Auger and Hansen 2005)
///     bipop   these, and between them small populations with small steps, which together may spend as many evaluations
///             as the large ones (Hansen 2009)
///
/// A handful of numbers of the state say which restart is under way; everything else follows from them.

enum
{
    SAC_RESTART_COUNT,    ///< restarts so far
    SAC_RESTART_LARGE,    ///< of these, restarts with a larger population
    SAC_RESTART_IS_SMALL, ///< whether the restart under way is a small one
    SAC_RESTART_SPENT,    ///< evaluations of the large ones that have ended, the first search included
    SAC_RESTART_SPENT_SMALL,
    SAC_RESTART_LAST_LARGE, ///< evaluations of the last large one
    SAC_RESTART_NUMBERS
};

typedef struct sac_restart
{
    sac_common *config; ///< the search's own, whose population and sigma follow the restarts
    int population;     ///< of the first search
    double sigma;
    uint64_t seed;
    double *start; ///< [n], the first mean
    double numbers[SAC_RESTART_NUMBERS];
    double built;    ///< number of the restart that the search was built for
    double *history; ///< [length], the best fitness of the last generations, newest first
    int length;
    char note[256]; ///< what the last tell did beside learning; "": nothing
} sac_restart;

/// @param config  must outlive the restarts
sac_status sac_restart_create(sac_restart **out, const sac_search *search, sac_common *config);

/// NULL is ignored.
void sac_restart_destroy(sac_restart *restart);

/// Choose the next restart: set its numbers and write the reason into the note.
void sac_restart_choose(sac_restart *restart, const sac_search *search, const char *reason);

/// Set population and sigma in the config, and the search's mean and seed, according to the numbers.
void sac_restart_apply(const sac_restart *restart, sac_search *search);

/// Make an empty history for the population that the search has now.
sac_status sac_restart_begin(sac_restart *restart, const sac_search *search);

/// Keep the generation's best fitness.
void sac_restart_record(sac_restart *restart, const sac_search *search);

/// Find the reason why a search with restarts should stop, beside the reasons of all searches; NULL: none.
const char *sac_restart_reason(const sac_restart *restart, const sac_search *search);

void sac_restart_state(sac_restart *restart, sac_search_array *arrays, int capacity, int *count);

/// Check that the numbers can be those of a restart.
sac_status sac_restart_check(const sac_restart *restart);
