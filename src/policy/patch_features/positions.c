#include "policy/agent.h"

// What is told of a patch is the row and column of its centre. Both are divided by the image's height, so that a
// length counts the same in both directions (the original's images are square).

static sac_status plan(sac_agent *agent, sac_policy *policy, int *size)
{
    (void)agent, (void)policy;
    *size = 2;
    return SAC_OK;
}

static void read(const sac_agent *agent, const float *parameters, const sac_patch *patch, float *out)
{
    (void)parameters;
    float unit = agent->config.normalise_positions ? (float)agent->embedding.patches.height : 1.0f;
    out[0] = (float)patch->row / unit;
    out[1] = (float)patch->column / unit;
}

const sac_patch_features_ops sac_patch_features_positions = {.name = "positions", .plan = plan, .read = read};
