#include <string.h>

#include "gradient/gradient.h"

/// The controller's inputs [F, inputs] to the policy's outputs.

static sac_lstm shape_of(const sac_pass *p)
{
    const sac_controller *c = &p->g->parts.actor->controller;
    return (sac_lstm){p->batch->steps, p->batch->sequences, c->inputs, c->hidden};
}

static sac_lstm_weights lstm_weights(const sac_controller *c, const float *parameters)
{
    return (sac_lstm_weights){parameters + c->from_inputs.weight, parameters + c->from_hidden.weight,
                              parameters + c->from_inputs.bias, parameters + c->from_hidden.bias};
}

static sac_lstm_gradients lstm_gradients(const sac_controller *c, float *sums)
{
    return (sac_lstm_gradients){sums + c->from_inputs.weight, sums + c->from_hidden.weight, sums + c->from_inputs.bias,
                                sums + c->from_hidden.bias};
}

static void take_state(float *to, const float *from, size_t count)
{
    if (from)
        memcpy(to, from, count * sizeof *to);
    else
        memset(to, 0, count * sizeof *to);
}

static void lstm_forward(sac_pass *p, const sac_controller *c)
{
    const sac_gradient_room *r = &p->room;
    const sac_batch *b = p->batch;
    const sac_lstm shape = shape_of(p);
    const sac_lstm_weights weights = lstm_weights(c, p->parameters);
    const size_t count = (size_t)b->sequences * (size_t)c->hidden;
    take_state(r->hidden, b->hidden, count);
    take_state(r->cell, b->cell, count);
    p->l.lstm_forward(&p->l, &shape, r->inner, r->hidden, r->cell, r->lstm_kept, r->inputs, b->starts, &weights,
                      r->lstm_workspace);
    if (b->hidden) memcpy(b->hidden, r->hidden, count * sizeof *b->hidden);
    if (b->cell) memcpy(b->cell, r->cell, count * sizeof *b->cell);
}

static int last_layer(const sac_controller *c)
{
    return c->has_cell ? 0 : c->layers - 1;
}

// units of a hidden layer
static float *layer_of(const sac_pass *p, const sac_controller *c, int layer)
{
    return p->room.inner + (size_t)layer * (size_t)p->frames * (size_t)c->hidden;
}

// tensors that lead to a hidden layer of an mlp
static const sac_layer *tensors_of(const sac_controller *c, int layer)
{
    return layer == 0 ? &c->from_inputs : &c->between[layer];
}

static void layers_forward(sac_pass *p, const sac_controller *c)
{
    for (int i = 0; i < c->layers; i++)
        p->l.linear_forward(&p->l, layer_of(p, c, i), i ? layer_of(p, c, i - 1) : p->room.inputs,
                            p->parameters + tensors_of(c, i)->weight, p->parameters + tensors_of(c, i)->bias, p->frames,
                            i ? c->hidden : c->inputs, c->hidden, SAC_ACTIVATION_TANH);
}

// the output layer reads the hidden units, or the inputs where there are no hidden units
static const float *inner_forward(sac_pass *p, const sac_controller *c)
{
    const sac_gradient_room *r = &p->room;
    if (c->has_cell)
        lstm_forward(p, c);
    else if (c->hidden)
        layers_forward(p, c);
    return c->hidden ? layer_of(p, c, last_layer(c)) : r->inputs;
}

static bool is_stretched(const sac_pass *p)
{
    return p->g->policy->def.action_choices == 0 && p->g->parts.actor->squash != SAC_SQUASH_NONE;
}

void sac_steer_forward(sac_pass *p, float *outputs)
{
    const sac_actor *a = p->g->parts.actor;
    const sac_controller *c = &a->controller;
    const sac_policy_def *def = &p->g->policy->def;
    const float *inner = inner_forward(p, c);
    float *squashed = p->room.squashed;
    p->l.linear_forward(&p->l, squashed, inner, p->parameters + c->to_outputs.weight,
                        p->parameters + c->to_outputs.bias, p->frames, c->hidden ? c->hidden : c->inputs, c->outputs,
                        a->squash == SAC_SQUASH_TANH ? SAC_ACTIVATION_TANH : SAC_ACTIVATION_NONE);
    for (int i = 0; i < p->frames * c->outputs; i++)
    {
        int o = i % c->outputs;
        outputs[i] = squashed[i];
        if (!is_stretched(p)) continue;
        float low = def->action_low[o], high = def->action_high[o];
        outputs[i] = squashed[i] * (high - low) / 2 + (high + low) / 2;
    }
}

static void lstm_backward(sac_pass *p, const sac_controller *c)
{
    const sac_gradient_room *r = &p->room;
    const sac_lstm shape = shape_of(p);
    const sac_lstm_weights weights = lstm_weights(c, p->parameters);
    const sac_lstm_gradients gradients = lstm_gradients(c, p->sums);
    const size_t bytes = (size_t)p->batch->sequences * (size_t)c->hidden * sizeof(float);
    memset(r->dhidden, 0, bytes), memset(r->dcell, 0, bytes);
    p->l.lstm_backward(&p->l, &shape, r->dinputs, r->dhidden, r->dcell, &gradients, r->dinner, r->lstm_kept,
                       p->batch->starts, &weights, r->lstm_workspace);
}

static void layers_backward(sac_pass *p, const sac_controller *c)
{
    const sac_learn *l = &p->l;
    float *dout = p->room.dinner, *dbefore = p->room.dbefore;
    // vector inputs, the only ones of a policy without pictures, are not differentiated
    float *dinputs = p->g->parts.embedding ? p->room.dinputs : NULL;
    for (int i = c->layers - 1; i >= 0; i--)
    {
        l->curve_backward(l, dout, dout, layer_of(p, c, i), SAC_CURVE_TANH, (size_t)p->frames * (size_t)c->hidden);
        l->linear_backward(l, i ? dbefore : dinputs, p->sums + tensors_of(c, i)->weight,
                           p->sums + tensors_of(c, i)->bias, dout, i ? layer_of(p, c, i - 1) : p->room.inputs,
                           p->parameters + tensors_of(c, i)->weight, p->frames, i ? c->hidden : c->inputs, c->hidden);
        float *spent = dout;
        dout = dbefore;
        dbefore = spent;
    }
}

void sac_steer_backward(sac_pass *p, const float *doutputs)
{
    const sac_actor *a = p->g->parts.actor;
    const sac_controller *c = &a->controller;
    const sac_gradient_room *r = &p->room;
    const sac_policy_def *def = &p->g->policy->def;
    const sac_learn *l = &p->l;
    const int count = p->frames * c->outputs;
    // gradient with respect to squashed of squashed (high - low) / 2 + (high + low) / 2
    for (int i = 0; i < count; i++)
    {
        int o = i % c->outputs;
        r->doutputs[i] = is_stretched(p) ? doutputs[i] * ((def->action_high[o] - def->action_low[o]) / 2) : doutputs[i];
    }
    if (a->squash == SAC_SQUASH_TANH)
        l->curve_backward(l, r->doutputs, r->doutputs, r->squashed, SAC_CURVE_TANH, (size_t)count);
    l->linear_backward(l, c->hidden ? r->dinner : r->dinputs, p->sums + c->to_outputs.weight,
                       p->sums + c->to_outputs.bias, r->doutputs, c->hidden ? layer_of(p, c, last_layer(c)) : r->inputs,
                       p->parameters + c->to_outputs.weight, p->frames, c->hidden ? c->hidden : c->inputs, c->outputs);
    if (c->has_cell)
        lstm_backward(p, c);
    else if (c->hidden)
        layers_backward(p, c);
}
