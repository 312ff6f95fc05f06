#include <math.h>

#include "base/error.h"
#include "policy/agent.h"

// torch's LSTMCell and a linear layer on its hidden state. In the vector: bias_hh, bias_ih, weight_hh, weight_ih (the
// original's order), then the output's bias and weight.

static sac_status plan(sac_agent *agent, sac_policy *policy)
{
    int hidden = agent->config.hidden, in = agent->feature_count, gates = 4 * hidden;
    double limit = 1 / sqrt((double)hidden);
    agent->hidden_size = hidden;
    agent->has_cell = true;
    agent->prepared_size = sac_lstm_packed_count(in, hidden);
    agent->scratch_size = agent->scratch_size > sac_round_up(hidden) ? agent->scratch_size : sac_round_up(hidden);
    size_t *at = agent->controller_views;
    SAC_TRY(sac_policy_add_view(policy, "lstm.bias_hh", limit, 1, &gates, &at[0]));
    SAC_TRY(sac_policy_add_view(policy, "lstm.bias_ih", limit, 1, &gates, &at[1]));
    SAC_TRY(sac_policy_add_view(policy, "lstm.weight_hh", limit, 2, (int[]){gates, hidden}, &at[2]));
    SAC_TRY(sac_policy_add_view(policy, "lstm.weight_ih", limit, 2, (int[]){gates, in}, &at[3]));
    return sac_policy_add_layer(policy, "output.bias", "output.weight", agent->output_size, hidden, &at[4], &at[5]);
}

static void prepare(const sac_agent *agent, const float *parameters, float *prepared)
{
    const size_t *at = agent->controller_views;
    sac_lstm_pack(prepared, parameters + at[3], parameters + at[2], parameters + at[1], parameters + at[0],
                  agent->feature_count, agent->hidden_size);
}

static void step(const sac_agent *agent, const float *parameters, const float *prepared, sac_controller_io *io)
{
    const size_t *at = agent->controller_views;
    agent->kernels.lstm_step(io->hidden, io->cell, io->features, prepared, agent->feature_count, agent->hidden_size,
                             io->scratch);
    agent->kernels.dense(io->output, parameters + at[5], parameters + at[4], io->hidden, agent->output_size,
                         agent->hidden_size);
}

const sac_controller_ops sac_controller_lstm = {"lstm", plan, prepare, step};
