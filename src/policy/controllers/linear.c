#include "base/level.h"
#include "policy/controllers/columns.h"
#include "policy/controllers/controller.h"

// This controller is one linear layer from the inputs to the outputs.

static sac_status plan(sac_controller *c, sac_policy *policy)
{
    c->hidden = 0;
    return sac_policy_add_layer(policy, "output.bias", "output.weight", c->outputs, c->inputs, &c->to_outputs);
}

static void step(const sac_controller *c, const float *parameters, const float *prepared, sac_controller_io *io)
{
    (void)prepared;
    c->kernels.dense(io->outputs, parameters + c->to_outputs.weight, parameters + c->to_outputs.bias, io->inputs,
                     c->outputs, c->inputs);
}

static void step_columns(const sac_controller *c, const float *parameters, sac_controller_io *io)
{
    SAC_AT_LEVEL(sac_dense_columns)
    (io->outputs, parameters + c->to_outputs.weight, parameters + c->to_outputs.bias, io->inputs, c->outputs,
     c->inputs);
}

const sac_controller_ops sac_controller_linear = {"linear", plan, NULL, step, step_columns};
