#include "base/error.h"
#include "policy/controllers/controller.h"

// one hidden layer with tanh, without memory

static sac_status plan(sac_controller *c, sac_policy *policy)
{
    SAC_TRY(sac_policy_add_layer(policy, "hidden.bias", "hidden.weight", c->hidden, c->inputs, &c->from_inputs));
    return sac_policy_add_layer(policy, "output.bias", "output.weight", c->outputs, c->hidden, &c->to_outputs);
}

static void step(const sac_controller *c, const float *parameters, const float *prepared, sac_controller_io *io)
{
    (void)prepared;
    const sac_kernels *k = &c->kernels;
    k->dense(io->hidden, parameters + c->from_inputs.weight, parameters + c->from_inputs.bias, io->inputs, c->hidden,
             c->inputs);
    k->tanh(io->hidden, io->hidden, c->hidden);
    k->dense(io->outputs, parameters + c->to_outputs.weight, parameters + c->to_outputs.bias, io->hidden, c->outputs,
             c->hidden);
}

const sac_controller_ops sac_controller_mlp = {"mlp", plan, NULL, step};
