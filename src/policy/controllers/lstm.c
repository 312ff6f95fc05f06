#include <math.h>

#include "base/error.h"
#include "policy/controllers/controller.h"

// This controller is torch's LSTMCell (Hochreiter and Schmidhuber 1997, with forget gates) and a linear layer on its
// hidden state. The order in the vector is that of the original agents: bias_hh, bias_ih, weight_hh, weight_ih, then
// the output's bias and weight.

static sac_status plan(sac_controller *c, sac_policy *policy)
{
    int gates = 4 * c->hidden;
    double limit = 1 / sqrt((double)c->hidden);
    c->has_cell = true;
    c->prepared_size = sac_lstm_packed_count(c->inputs, c->hidden);
    c->scratch_size = (size_t)sac_round_up(c->hidden);
    SAC_TRY(sac_policy_add_tensor(policy, "lstm.bias_hh", limit, 1, &gates, &c->from_hidden.bias));
    SAC_TRY(sac_policy_add_tensor(policy, "lstm.bias_ih", limit, 1, &gates, &c->from_inputs.bias));
    SAC_TRY(
        sac_policy_add_tensor(policy, "lstm.weight_hh", limit, 2, (int[]){gates, c->hidden}, &c->from_hidden.weight));
    SAC_TRY(
        sac_policy_add_tensor(policy, "lstm.weight_ih", limit, 2, (int[]){gates, c->inputs}, &c->from_inputs.weight));
    return sac_policy_add_layer(policy, "output.bias", "output.weight", c->outputs, c->hidden, &c->to_outputs);
}

static void prepare(const sac_controller *c, const float *parameters, float *prepared)
{
    sac_lstm_pack(prepared, parameters + c->from_inputs.weight, parameters + c->from_hidden.weight,
                  parameters + c->from_inputs.bias, parameters + c->from_hidden.bias, c->inputs, c->hidden);
}

static void step(const sac_controller *c, const float *parameters, const float *prepared, sac_controller_io *io)
{
    c->kernels.lstm_step(io->hidden, io->cell, io->inputs, prepared, c->inputs, c->hidden, io->scratch);
    c->kernels.dense(io->outputs, parameters + c->to_outputs.weight, parameters + c->to_outputs.bias, io->hidden,
                     c->outputs, c->hidden);
}

const sac_controller_ops sac_controller_lstm = {"lstm", plan, prepare, step, NULL};
