#include "policy/agent.h"

// What is told of a patch is learned values, as IAP-rank hands them on: one linear layer on its pixels.

static sac_status plan(sac_agent *agent, sac_policy *policy, int *size)
{
    *size = agent->config.value_size;
    return sac_policy_add_layer(policy, "value.bias", "value.weight", *size, agent->embedding.inputs, &agent->value);
}

static void read(const sac_agent *agent, const float *parameters, const sac_patch *patch, float *out)
{
    agent->kernels.dense(out, parameters + agent->value.weight, parameters + agent->value.bias, patch->pixels,
                         agent->config.value_size, agent->embedding.inputs);
}

const sac_patch_features_ops sac_patch_features_values = {.name = "values", .pixels = true, .plan = plan, .read = read};
