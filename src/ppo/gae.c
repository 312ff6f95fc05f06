#include "ppo/gae.h"

#include <stddef.h>

static void run_world(const sac_gae_def *d, int world, float *advantages, float *targets)
{
    double advantage = 0;
    for (int t = d->steps - 1; t >= 0; t--)
    {
        const ptrdiff_t at = (ptrdiff_t)t * d->worlds + world;
        const uint8_t end = d->ends[at];
        double next = end == SAC_TERMINATED  ? 0
                      : end == SAC_TRUNCATED ? (double)d->last[at]
                                             : (double)d->values[at + d->worlds];
        double difference = (double)d->rewards[at] + d->gamma * next - (double)d->values[at];
        advantage = difference + (end == SAC_GOES_ON ? d->gamma * d->lambda * advantage : 0);
        advantages[at] = (float)advantage;
        targets[at] = (float)(advantage + (double)d->values[at]);
    }
}

void sac_gae(const sac_gae_def *def, float *advantages, float *targets)
{
    for (int world = 0; world < def->worlds; world++) run_world(def, world, advantages, targets);
}
