#include "policy/agent.h"

// one linear layer from the features to the output

static sac_status plan(sac_agent *agent, sac_policy *policy)
{
    size_t *at = agent->controller_views;
    return sac_policy_add_layer(policy, "output.bias", "output.weight", agent->output_size, agent->feature_count,
                                &at[0], &at[1]);
}

static void step(const sac_agent *agent, const float *parameters, const float *prepared, sac_controller_io *io)
{
    (void)prepared;
    const size_t *at = agent->controller_views;
    agent->kernels.dense(io->output, parameters + at[1], parameters + at[0], io->features, agent->output_size,
                         agent->feature_count);
}

const sac_controller_ops sac_controller_linear = {"linear", plan, NULL, step};
