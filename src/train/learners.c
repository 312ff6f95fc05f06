#include <string.h>

#include "train/learner.h"

/// Which learner a task's search.method means: those that have a name of their own, and evolution for all searches.

const sac_learner *sac_learner_of(const char *method)
{
    return strcmp(method, "distill") == 0 ? &sac_distill_learner : &sac_evolution_learner;
}
