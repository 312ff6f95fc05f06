#include "base/error.h"
#include "policy/agent.h"

// one hidden layer with tanh, without memory

static sac_status plan(sac_agent *agent, sac_policy *policy)
{
    agent->hidden_size = agent->config.hidden;
    size_t *at = agent->controller_views;
    SAC_TRY(sac_policy_add_layer(policy, "hidden.bias", "hidden.weight", agent->hidden_size, agent->feature_count,
                                 &at[0], &at[1]));
    return sac_policy_add_layer(policy, "output.bias", "output.weight", agent->output_size, agent->hidden_size, &at[2],
                                &at[3]);
}

static void step(const sac_agent *agent, const float *parameters, const float *prepared, sac_controller_io *io)
{
    (void)prepared;
    const size_t *at = agent->controller_views;
    const sac_kernels *k = &agent->kernels;
    k->dense(io->hidden, parameters + at[1], parameters + at[0], io->features, agent->hidden_size,
             agent->feature_count);
    k->tanh(io->hidden, io->hidden, agent->hidden_size);
    k->dense(io->output, parameters + at[3], parameters + at[2], io->hidden, agent->output_size, agent->hidden_size);
}

const sac_controller_ops sac_controller_mlp = {"mlp", plan, NULL, step};
