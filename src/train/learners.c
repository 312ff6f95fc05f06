#include <string.h>

#include "train/learner.h"

/// Which learner a task's search.method means. Names that no other learner has belong to evolution's searches.

const sac_learner *sac_learner_of(const char *method)
{
    if (strcmp(method, "distill") == 0) return &sac_distill_learner;
    if (strcmp(method, "contrast") == 0) return &sac_contrast_learner;
    return strcmp(method, "ppo") == 0 ? &sac_ppo_learner : &sac_evolution_learner;
}
