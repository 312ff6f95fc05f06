#include "ppo/learner.h"

/// What ranks tell each other.

sac_status sac_ppo_share(sac_ppo *p)
{
    (void)p;
    return SAC_OK;
}
