#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/level.h"
#include "policy/controllers/columns.h"
#include "policy/controllers/controller.h"

// This controller has hidden layers with tanh and no memory.

static const char *const biases[SAC_MAX_HIDDEN_LAYERS] = {"hidden.bias", "hidden2.bias", "hidden3.bias",
                                                          "hidden4.bias"};
static const char *const weights[SAC_MAX_HIDDEN_LAYERS] = {"hidden.weight", "hidden2.weight", "hidden3.weight",
                                                           "hidden4.weight"};

static sac_status plan(sac_controller *c, sac_policy *policy)
{
    SAC_ASSERT(c->layers >= 1 && c->layers <= SAC_MAX_HIDDEN_LAYERS);
    SAC_TRY(sac_policy_add_layer(policy, biases[0], weights[0], c->hidden, c->inputs, &c->from_inputs));
    for (int i = 1; i < c->layers && i < SAC_MAX_HIDDEN_LAYERS; i++)
        SAC_TRY(sac_policy_add_layer(policy, biases[i], weights[i], c->hidden, c->hidden, &c->between[i]));
    c->scratch_size = c->layers > 1 ? (size_t)c->hidden : 0;
    return sac_policy_add_layer(policy, "output.bias", "output.weight", c->outputs, c->hidden, &c->to_outputs);
}

// Every layer for one episode, or for `columns` of them side by side by the other form of `dense`.
static void run(const sac_controller *c, const float *parameters, sac_controller_io *io, int columns)
{
    const sac_kernels *k = &c->kernels;
    void (*dense)(float *, const float *, const float *, const float *, int, int) =
        columns == 1 ? k->dense : SAC_AT_LEVEL(sac_dense_columns);
    const int units = c->hidden * columns;
    dense(io->hidden, parameters + c->from_inputs.weight, parameters + c->from_inputs.bias, io->inputs, c->hidden,
          c->inputs);
    k->tanh(io->hidden, io->hidden, units);
    for (int i = 1; i < c->layers; i++)
    {
        memcpy(io->scratch, io->hidden, (size_t)units * sizeof(float));
        dense(io->hidden, parameters + c->between[i].weight, parameters + c->between[i].bias, io->scratch, c->hidden,
              c->hidden);
        k->tanh(io->hidden, io->hidden, units);
    }
    dense(io->outputs, parameters + c->to_outputs.weight, parameters + c->to_outputs.bias, io->hidden, c->outputs,
          c->hidden);
}

static void step(const sac_controller *c, const float *parameters, const float *prepared, sac_controller_io *io)
{
    (void)prepared;
    run(c, parameters, io, 1);
}

static void step_columns(const sac_controller *c, const float *parameters, sac_controller_io *io)
{
    run(c, parameters, io, SAC_LANES);
}

const sac_controller_ops sac_controller_mlp = {"mlp", plan, NULL, step, step_columns};
