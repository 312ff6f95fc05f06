#include <stdio.h>
#include <string.h>

#include "export/agent_c.h"

// This file writes the inputs of the controller for a kept patch, and the controller.

static bool tells(const sac_agent *a, const char *name)
{
    for (int i = 0; i < a->part_count; i++)
        if (strcmp(a->parts[i]->name, name) == 0) return true;
    return false;
}

static void add_layer(sac_c_file *file, const char *name, sac_layer layer, int rows, int columns)
{
    char vector[64], matrix[64];
    snprintf(vector, sizeof vector, "%s_bias", name);
    snprintf(matrix, sizeof matrix, "%s_weight", name);
    sac_c_floats(file, vector, file->rounded->parameters + layer.bias, (size_t)rows);
    sac_c_matrix(file, matrix, layer.weight, rows, columns);
}

// Find the numbers of the kept patches, all 0 where none is kept.
static void add_feature_constants(sac_c_file *file)
{
    const sac_policy_parts *p = &file->parts;
    const sac_agent *a = p->agent;
    sac_grow_text(&file->text,
                  "enum\n{\n    TOP = %d,\n    TOLD_EACH = %d,\n    TOLD = %d,\n    BINS = %d,\n    VALUES = %d,\n"
                  "    KERNEL = %d,\n    CONV_STRIDE = %d\n};\n\n#define POSITION_UNIT %.1ff\n\n",
                  a ? a->config.top : 0, a ? a->patch_features : 0, p->actor->feature_count, a ? a->config.bins : 0,
                  a ? a->config.value_size : p->embedding->patches.outputs,
                  a ? a->config.conv_kernel : p->cnn->config.conv_kernel,
                  a ? a->config.conv_stride : p->cnn->config.conv_stride,
                  a && a->config.normalise_positions ? (double)p->embedding->patches.height : 1.0);
    if (!a) return;
    if (tells(a, "values")) add_layer(file, "value", a->value, a->config.value_size, p->embedding->inputs);
    for (int i = 0; i < a->conv_count; i++)
    {
        const sac_conv_layer *layer = &a->conv[i];
        char name[16];
        snprintf(name, sizeof name, "conv%d", i);
        add_layer(file, name, layer->tensors, layer->out_channels,
                  layer->in_channels * a->config.conv_kernel * a->config.conv_kernel);
    }
}

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
    sac_c_matrix(file, "lstm_weight_hh", c->from_hidden.weight, 4 * c->hidden, c->hidden);
    sac_c_matrix(file, "lstm_weight_ih", c->from_inputs.weight, 4 * c->hidden, c->inputs);
}

static void add_filter(sac_c_file *file)
{
    const sac_policy *policy = file->rounded;
    if (policy->filter_size == 0) return;
    sac_c_floats(file, "filter_mean", policy->parameters + policy->filter_mean, (size_t)policy->filter_size);
    sac_c_floats(file, "filter_whitening", file->parts.actor_state->whitening, (size_t)policy->filter_size);
}

void sac_c_controller_constants(sac_c_file *file)
{
    const sac_actor *actor = file->parts.actor;
    const sac_controller *c = &actor->controller;
    const sac_policy_def *def = &file->policy->def;
    add_feature_constants(file);
    sac_grow_text(&file->text,
                  "enum\n{\n    HIDDEN = %d,\n    ACTIONS = %d,\n    ACTION_SIZE = %d,\n    STRETCHED = %d\n};\n\n",
                  c->hidden, c->outputs, def->action_size, actor->squash != SAC_SQUASH_NONE);
    if (c->ops == &sac_controller_lstm) add_lstm_constants(file);
    if (c->ops == &sac_controller_mlp) add_layer(file, "hidden", c->from_inputs, c->hidden, c->inputs);
    add_layer(file, "output", c->to_outputs, c->outputs, c->hidden ? c->hidden : c->inputs);
    add_filter(file);
    if (def->action_choices > 0) return;
    sac_c_floats(file, "action_low", def->action_low, (size_t)def->action_size);
    sac_c_floats(file, "action_high", def->action_high, (size_t)def->action_size);
}

void sac_c_controller_fields(sac_c_file *file)
{
    const sac_policy_parts *p = &file->parts;
    const sac_controller *c = &p->actor->controller;
    size_t real = sizeof(float), kept = p->agent ? (size_t)p->agent->config.top : 0;
    sac_c_field(file, "uint16_t", sizeof(uint16_t), "top", "[TOP]", kept);
    if (p->agent && p->agent->wants_pixels)
        sac_c_field(file, "float", real, "pixels", "[PATCH * PATCH * CHANNELS]", (size_t)p->embedding->inputs);
    sac_c_field(file, "float", real, "features", "[TOLD]", (size_t)p->actor->feature_count);
    if (p->actor->motion)
    {
        sac_c_field(file, "float", real, "before", "[TOLD / 2]", (size_t)p->actor->told_count);
        sac_c_field(file, "uint16_t", sizeof(uint16_t), "started", "", 1);
    }
    sac_c_field(file, "float", real, "hidden", "[HIDDEN]", (size_t)c->hidden);
    if (c->has_cell) sac_c_field(file, "float", real, "cell", "[HIDDEN]", (size_t)c->hidden);
    sac_c_field(file, "float", real, "output", "[ACTIONS]", (size_t)c->outputs);
}

static void add_conv(sac_c_file *file)
{
    const sac_agent *a = file->parts.agent;
    sac_growing *text = &file->text;
    sac_c_part(file, "features_conv.c");
    sac_grow_text(text, "static float *tell_conv(float *out, int index)\n{\n    static float images[2][%d];\n",
                  a->scratch_size / 2);
    sac_grow_text(text, "    (void)index;\n    (void)images;\n");
    file->sizes.memory += 2 * (size_t)(a->scratch_size / 2) * sizeof(float);
    char from[32] = "state.pixels", into[32];
    for (int i = 0; i < a->conv_count; i++)
    {
        const sac_conv_layer *layer = &a->conv[i];
        bool last = i == a->conv_count - 1;
        snprintf(into, sizeof into, last ? "out" : "images[%d]", i % 2);
        sac_grow_text(text, "    convolve(%s, %s, conv%d_weight, conv%d_bias, %d, %d, %d, %d);\n    curve(%s, %d);\n",
                      into, from, i, i, layer->in_side, layer->in_channels, layer->out_side, layer->out_channels, into,
                      layer->out_side * layer->out_side * layer->out_channels);
        memcpy(from, into, sizeof from);
    }
    const sac_conv_layer *last = &a->conv[a->conv_count - 1];
    sac_grow_text(text, "    return out + %d;\n}\n\n", last->out_side * last->out_side * last->out_channels);
}

static void add_tell(sac_c_file *file)
{
    const sac_agent *a = file->parts.agent;
    sac_growing *text = &file->text;
    sac_grow_text(text, "/* what the controller is told of the kept patches */\n"
                        "static void tell(const uint8_t *image)\n{\n    int k;\n    (void)image;\n");
    if (a->config.masking) sac_grow_text(text, "    for (k = 0; k < TOLD; k++) state.features[k] = 0;\n");
    sac_grow_text(text, "    for (k = 0; k < TOP; k++)\n    {\n        float *out = state.features + %s * TOLD_EACH;\n",
                  a->config.masking ? "state.top[k]" : "k");
    if (a->wants_pixels) sac_grow_text(text, "        read_patch(image, state.top[k]);\n");
    for (int i = 0; i < a->part_count; i++)
        sac_grow_text(text, "        out = tell_%s(out, state.top[k]);\n", a->parts[i]->name);
    sac_grow_text(text, "        (void)out;\n    }\n}\n\n");
}

static void add_feature_code(sac_c_file *file)
{
    const sac_agent *a = file->parts.agent;
    char name[80];
    sac_c_part(file, "top.c");
    if (a->wants_pixels) sac_c_part(file, "pixels.c");
    for (int i = 0; i < a->part_count; i++)
    {
        snprintf(name, sizeof name, "features_%s.c", a->parts[i]->name);
        if (strcmp(a->parts[i]->name, "conv") == 0)
            add_conv(file);
        else
            sac_c_part(file, name);
    }
    add_tell(file);
}

void sac_c_controller_code(sac_c_file *file)
{
    const sac_actor *actor = file->parts.actor;
    const char *action = file->policy->def.action_choices == 0 ? "box" : actor->threshold ? "threshold" : "largest";
    char name[80];
    if (file->parts.reading == SAC_PARTS_RANK) add_feature_code(file);
    if (actor->motion) sac_c_part(file, "motion.c");
    if (file->policy->filter_size > 0) sac_c_part(file, "filter.c");
    snprintf(name, sizeof name, "controller_%s.c", actor->controller.ops->name);
    sac_c_part(file, name);
    snprintf(name, sizeof name, "activation_%.40s.c", sac_squash_names[actor->squash]);
    sac_c_part(file, name);
    snprintf(name, sizeof name, "decide_%s.c", action);
    sac_c_part(file, name);
}
