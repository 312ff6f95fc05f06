#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "export/onnx/onnx.h"

// From what is told of the kept patches to the action: motion, normaliser, controller.

// How much what is told has changed since the step before: "before" holds those of that step, and "started" is 1 after
// the first step.
static void add_motion(sac_onnx *o)
{
    const int64_t shape[] = {1, o->parts.actor->told_count}, one[] = {1};
    sac_onnx_port(o, false, "before", SAC_ONNX_FLOAT, 2, shape);
    sac_onnx_port(o, false, "started", SAC_ONNX_FLOAT, 1, one);
    sac_onnx_port(o, true, "next_before", SAC_ONNX_FLOAT, 2, shape);
    sac_onnx_port(o, true, "next_started", SAC_ONNX_FLOAT, 1, one);
    sac_onnx_floats(o, "begun", (const float[]){1}, 0, 1);
    sac_onnx_node(o, "Identity", "seen", "next_before", NULL);
    sac_onnx_node(o, "Identity", "begun", "next_started", NULL);
    sac_onnx_node(o, "Greater", "started nothing", "has_started", NULL);
    sac_onnx_node(o, "Sub", "seen before", "moved", NULL);
    // in the first step of an episode there is nothing to compare with
    sac_onnx_node(o, "Where", "has_started moved nothing", "motion", NULL);
    sac_onnx_node(o, "Concat", "seen motion", "seen_moving", "axis", 'i', 1, NULL);
}

// "told": what was seen and its motion, normalised by the mean and deviation of training.
static void add_told(sac_onnx *o)
{
    const sac_actor *a = o->parts.actor;
    if (a->motion) add_motion(o);
    const char *seen = a->motion ? "seen_moving" : "seen";
    if (o->policy->normaliser_size == 0)
    {
        sac_onnx_node(o, "Identity", seen, "told", NULL);
        return;
    }
    char inputs[64];
    snprintf(inputs, sizeof inputs, "%s normaliser_mean", seen);
    sac_onnx_floats(o, "normaliser_mean", o->policy->parameters + o->policy->normaliser_mean, 1, a->input_count);
    sac_onnx_floats(o, "normaliser_inverse", o->parts.actor_state->inverse_deviation, 1, a->input_count);
    sac_onnx_node(o, "Sub", inputs, "centred", NULL);
    sac_onnx_node(o, "Mul", "centred normaliser_inverse", "told", NULL);
}

// OUT = W IN + bias, for vectors that are rows
static void add_layer(sac_onnx *o, const char *in, const char *name, const char *out, sac_layer layer, int rows,
                      int columns)
{
    char w[32], b[32], inputs[96];
    snprintf(w, sizeof w, "%s_weight", name);
    snprintf(b, sizeof b, "%s_bias", name);
    sac_onnx_floats(o, w, o->policy->parameters + layer.weight, rows, columns);
    sac_onnx_floats(o, b, o->policy->parameters + layer.bias, 0, rows);
    snprintf(inputs, sizeof inputs, "%s %s %s", in, w, b);
    sac_onnx_node(o, "Gemm", inputs, out, "transB", 'i', 1, NULL);
}

// torch.nn.LSTMCell from single nodes: ONNX's own LSTM has another order of gates and wants whole sequences. Memory
// goes in as "hidden" and "cell" and comes out as "next_hidden" and "next_cell".
static void add_lstm(sac_onnx *o)
{
    const sac_controller *c = &o->parts.actor->controller;
    int h = c->hidden;
    const int64_t shape[] = {1, h};
    sac_onnx_port(o, false, "hidden", SAC_ONNX_FLOAT, 2, shape);
    sac_onnx_port(o, false, "cell", SAC_ONNX_FLOAT, 2, shape);
    sac_onnx_port(o, true, "next_hidden", SAC_ONNX_FLOAT, 2, shape);
    sac_onnx_port(o, true, "next_cell", SAC_ONNX_FLOAT, 2, shape);
    add_layer(o, "hidden", "hh", "from_hidden", c->from_hidden, 4 * h, h);
    add_layer(o, "told", "ih", "from_told", c->from_inputs, 4 * h, c->inputs);
    sac_onnx_node(o, "Add", "from_hidden from_told", "gates", NULL);
    sac_onnx_ints(o, "quarters", (const int64_t[]){h, h, h, h}, 4);
    sac_onnx_node(o, "Split", "gates quarters", "gate_in gate_forget gate_cell gate_out", "axis", 'i', 1, NULL);
    sac_onnx_node(o, "Sigmoid", "gate_in", "open_in", NULL);
    sac_onnx_node(o, "Sigmoid", "gate_forget", "open_forget", NULL);
    sac_onnx_node(o, "Tanh", "gate_cell", "candidate", NULL);
    sac_onnx_node(o, "Sigmoid", "gate_out", "open_out", NULL);
    sac_onnx_node(o, "Mul", "open_forget cell", "remembered", NULL);
    sac_onnx_node(o, "Mul", "open_in candidate", "learned", NULL);
    sac_onnx_node(o, "Add", "remembered learned", "next_cell", NULL);
    sac_onnx_node(o, "Tanh", "next_cell", "curved_cell", NULL);
    sac_onnx_node(o, "Mul", "open_out curved_cell", "next_hidden", NULL);
    add_layer(o, "next_hidden", "output", "output", c->to_outputs, c->outputs, h);
}

// The controller: "told" -> "output".
static sac_status add_thought(sac_onnx *o)
{
    const sac_controller *c = &o->parts.actor->controller;
    if (c->ops == &sac_controller_lstm)
        add_lstm(o);
    else if (c->ops == &sac_controller_mlp)
    {
        add_layer(o, "told", "hidden", "straight", c->from_inputs, c->hidden, c->inputs);
        sac_onnx_node(o, "Tanh", "straight", "bent", NULL);
        add_layer(o, "bent", "output", "output", c->to_outputs, c->outputs, c->hidden);
    }
    else if (c->ops == &sac_controller_linear)
        add_layer(o, "told", "output", "output", c->to_outputs, c->outputs, c->inputs);
    else
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: controller %s is not among those that the ONNX graph knows",
                        c->ops->name);
    return SAC_OK;
}

// One output gives 1, 0 or 2 where it lies below, between or above the thirds.
static void add_threshold(sac_onnx *o)
{
    sac_onnx_number(o, "low_third", -1.0f / 3.0f);
    sac_onnx_number(o, "high_third", 1.0f / 3.0f);
    sac_onnx_number(o, "choice2", 2);
    sac_onnx_node(o, "Less", "activated low_third", "is_low", NULL);
    sac_onnx_node(o, "Greater", "activated high_third", "is_high", NULL);
    sac_onnx_node(o, "Where", "is_high choice2 nothing", "upper", NULL);
    sac_onnx_node(o, "Where", "is_low unit upper", "choice", NULL);
    sac_onnx_node(o, "Reshape", "choice action_shape", "action", NULL);
}

// Outputs are stretched to the bounds, or cut at them.
static sac_status add_box(sac_onnx *o)
{
    const sac_policy_def *def = &o->policy->def;
    int count = def->action_size;
    bool stretched = o->parts.actor->squash != SAC_SQUASH_NONE;
    // x (high - low) / 2 + (high + low) / 2, with both halves as constants
    float *half = SAC_NEW_ARRAY(float, 2 * (size_t)count), *center = half + count;
    if (!half) return sac_fail_memory("an ONNX graph");
    for (int i = 0; i < count; i++)
    {
        half[i] = stretched ? (def->action_high[i] - def->action_low[i]) / 2 : 1;
        center[i] = stretched ? (def->action_high[i] + def->action_low[i]) / 2 : 0;
    }
    sac_onnx_floats(o, "half", half, 0, count);
    sac_onnx_floats(o, "center", center, 0, count);
    sac_onnx_floats(o, "action_low", def->action_low, 0, count);
    sac_onnx_floats(o, "action_high", def->action_high, 0, count);
    sac_free(half);
    sac_onnx_node(o, "Reshape", "activated action_shape", "flat", NULL);
    sac_onnx_node(o, "Mul", "flat half", "wide", NULL);
    sac_onnx_node(o, "Add", "wide center", "free", NULL);
    // bounds may be infinite, which Max and Min allow
    sac_onnx_node(o, "Max", "free action_low", "above", NULL);
    sac_onnx_node(o, "Min", "above action_high", "action", NULL);
    return SAC_OK;
}

static sac_status add_activation(sac_onnx *o)
{
    switch (o->parts.actor->squash)
    {
    case SAC_SQUASH_TANH: sac_onnx_node(o, "Tanh", "output", "activated", NULL); return SAC_OK;
    case SAC_SQUASH_CLIP:
        sac_onnx_number(o, "least", -1);
        sac_onnx_node(o, "Clip", "output least unit", "activated", NULL);
        return SAC_OK;
    case SAC_SQUASH_NONE: sac_onnx_node(o, "Identity", "output", "activated", NULL); return SAC_OK;
    }
    return sac_fail(SAC_ERROR_UNAVAILABLE, "export: activation %s is not among those that the ONNX graph knows",
                    sac_squash_names[o->parts.actor->squash]);
}

// Outputs become actions in the environment's bounds, or a choice.
static sac_status add_action(sac_onnx *o)
{
    const sac_policy_def *def = &o->policy->def;
    SAC_TRY(add_activation(o));
    sac_onnx_ints(o, "action_shape", (const int64_t[]){def->action_size}, 1);
    sac_onnx_port(o, true, "action", SAC_ONNX_FLOAT, 1, (const int64_t[]){def->action_size});
    if (def->action_choices == 0) return add_box(o);
    if (o->parts.actor->threshold)
    {
        add_threshold(o);
        return SAC_OK;
    }
    // ties go to the lower index, as in the library
    sac_onnx_node(o, "ArgMax", "activated", "choice", "axis", 'i', 1, "keepdims", 'i', 0, NULL);
    sac_onnx_node(o, "Cast", "choice", "action", "to", 'i', SAC_ONNX_FLOAT, NULL);
    return SAC_OK;
}

sac_status sac_onnx_add_controller(sac_onnx *o)
{
    add_told(o);
    SAC_TRY(add_thought(o));
    return add_action(o);
}
