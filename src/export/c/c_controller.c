#include <stdio.h>

#include "export/c/agent_c.h"

// This file writes the controller, and what becomes of its inputs and outputs.

void sac_c_layer(sac_c_file *file, const char *name, sac_layer layer, int rows, int columns)
{
    char vector[64], matrix[64];
    snprintf(vector, sizeof vector, "%s_bias", name);
    snprintf(matrix, sizeof matrix, "%s_weight", name);
    sac_c_floats(file, vector, file->rounded->parameters + layer.bias, (size_t)rows);
    sac_c_matrix(file, matrix, layer.weight, rows, columns);
}

// Sizes that the parts name. A size that a policy has no use for is written all the same, because an enumeration costs
// nothing in a program.
static void add_numbers(sac_c_file *file)
{
    sac_c_numbers n = file->reading->numbers(&file->parts);
    sac_grow_text(&file->text,
                  "enum\n{\n    TOP = %d,\n    TOLD_EACH = %d,\n    TOLD = %d,\n    BINS = %d,\n    VALUES = %d,\n"
                  "    KERNEL = %d,\n    CONV_STRIDE = %d\n};\n\n#define POSITION_UNIT %.1ff\n\n",
                  n.top, n.each, file->parts.actor->input_count, n.bins, n.values, n.kernel, n.stride, n.position_unit);
}

// torch.nn.LSTMCell has two biases, which every step adds to the same sums. They are added here, once, as
// kernels/pack.c does it.
static void add_lstm_constants(sac_c_file *file)
{
    const sac_controller *c = &file->parts.actor->controller;
    const float *parameters = file->rounded->parameters;
    sac_grow_text(&file->text, "static const float lstm_bias[%d] = {\n", 4 * c->hidden);
    for (int i = 0; i < 4 * c->hidden; i++)
    {
        float sum = parameters[c->from_inputs.bias + (size_t)i] + parameters[c->from_hidden.bias + (size_t)i];
        sac_grow_text(&file->text, "%s%.8ef,", i % 8 == 0 ? "\n    " : "", (double)sum);
    }
    sac_grow_text(&file->text, "\n};\n\n");
    file->sizes.constants += 4 * (size_t)c->hidden * sizeof(float);
    // the two matrices stay apart, since int8 gives each row of each a scale of its own
    sac_c_matrix(file, "lstm_weight_hh", c->from_hidden.weight, 4 * c->hidden, c->hidden);
    sac_c_matrix(file, "lstm_weight_ih", c->from_inputs.weight, 4 * c->hidden, c->inputs);
}

// The observation normaliser: (x - mean) times the inverse of the deviation, the same product as in the library.
static void add_normaliser(sac_c_file *file)
{
    const sac_policy *policy = file->rounded;
    if (policy->normaliser_size == 0) return;
    sac_c_floats(file, "normaliser_mean", policy->parameters + policy->normaliser_mean,
                 (size_t)policy->normaliser_size);
    sac_c_floats(file, "normaliser_inverse", file->parts.actor_state->inverse_deviation,
                 (size_t)policy->normaliser_size);
}

void sac_c_controller_constants(sac_c_file *file)
{
    const sac_actor *actor = file->parts.actor;
    const sac_controller *c = &actor->controller;
    const sac_policy_def *def = &file->policy->def;
    add_numbers(file);
    if (file->reading->patch_feature_constants) file->reading->patch_feature_constants(file);
    sac_grow_text(&file->text,
                  "enum\n{\n    HIDDEN = %d,\n    ACTIONS = %d,\n    ACTION_SIZE = %d,\n    STRETCHED = %d\n};\n\n",
                  c->hidden, c->outputs, def->action_size, actor->squash != SAC_SQUASH_NONE);
    if (c->ops == &sac_controller_lstm) add_lstm_constants(file);
    if (c->ops == &sac_controller_mlp) sac_c_layer(file, "hidden", c->from_inputs, c->hidden, c->inputs);
    sac_c_layer(file, "output", c->to_outputs, c->outputs, c->hidden ? c->hidden : c->inputs);
    add_normaliser(file);
    // a choice has no bounds
    if (def->action_choices > 0) return;
    sac_c_floats(file, "action_low", def->action_low, (size_t)def->action_size);
    sac_c_floats(file, "action_high", def->action_high, (size_t)def->action_size);
}

// What lasts from step to step is hidden, cell, before and started; the rest is room that would else be taken from the
// stack, of which small chips have little.
void sac_c_controller_fields(sac_c_file *file)
{
    const sac_policy_parts *p = &file->parts;
    const sac_controller *c = &p->actor->controller;
    sac_c_numbers n = file->reading->numbers(p);
    size_t real = sizeof(float);
    sac_c_field(file, "uint16_t", sizeof(uint16_t), "top", "[TOP]", (size_t)n.top);
    sac_c_field(file, "float", real, "pixels", "[PATCH * PATCH * CHANNELS]", (size_t)n.patch_pixels);
    sac_c_field(file, "float", real, "told", "[TOLD]", (size_t)p->actor->input_count);
    if (p->actor->motion)
    {
        sac_c_field(file, "float", real, "before", "[TOLD / 2]", (size_t)p->actor->told_count);
        sac_c_field(file, "uint16_t", sizeof(uint16_t), "started", "", 1);
    }
    sac_c_field(file, "float", real, "hidden", "[HIDDEN]", (size_t)c->hidden);
    if (c->has_cell) sac_c_field(file, "float", real, "cell", "[HIDDEN]", (size_t)c->hidden);
    sac_c_field(file, "float", real, "output", "[ACTIONS]", (size_t)c->outputs);
}

void sac_c_controller_code(sac_c_file *file)
{
    const sac_actor *actor = file->parts.actor;
    // one part for each way from outputs to an action; each of them defines `decide`
    const char *action = file->policy->def.action_choices == 0 ? "box" : actor->threshold ? "threshold" : "largest";
    char name[80];
    if (file->reading->patch_feature_code) file->reading->patch_feature_code(file);
    if (actor->motion) sac_c_part(file, "motion.c");
    if (file->policy->normaliser_size > 0) sac_c_part(file, "normaliser.c");
    snprintf(name, sizeof name, "controller_%s.c", actor->controller.ops->name);
    sac_c_part(file, name);
    snprintf(name, sizeof name, "activation_%.40s.c", sac_squash_names[actor->squash]);
    sac_c_part(file, name);
    snprintf(name, sizeof name, "decide_%s.c", action);
    sac_c_part(file, name);
}
