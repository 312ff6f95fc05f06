#include <stdio.h>
#include <string.h>

#include "export/agent_c.h"

// what the controller is told of a kept patch, and the controller

static bool tells(const sac_agent *a, const char *name)
{
    for (int i = 0; i < a->part_count; i++)
        if (strcmp(a->parts[i]->name, name) == 0) return true;
    return false;
}

static void add_layer(sac_c_file *file, const char *name, size_t bias, size_t weight, int rows, int columns)
{
    char vector[64], matrix[64];
    snprintf(vector, sizeof vector, "%s_bias", name);
    snprintf(matrix, sizeof matrix, "%s_weight", name);
    sac_c_floats(file, vector, file->rounded->parameters + bias, (size_t)rows);
    sac_c_matrix(file, matrix, weight, rows, columns);
}

static void add_feature_constants(sac_c_file *file)
{
    const sac_agent *a = file->agent;
    const sac_agent_config *config = &a->config;
    sac_grow_text(&file->text,
                  "enum\n{\n    TOP = %d,\n    TOLD_EACH = %d,\n    TOLD = %d,\n    BINS = %d,\n    VALUES = %d,\n"
                  "    KERNEL = %d,\n    CONV_STRIDE = %d\n};\n\n#define POSITION_UNIT %.1ff\n\n",
                  config->top, a->patch_features, a->feature_count, config->bins, config->value_size,
                  config->conv_kernel, config->conv_stride, config->normalise ? (double)a->patches.height : 1.0);
    if (tells(a, "values")) add_layer(file, "value", a->value_bias, a->value_weight, config->value_size, a->inputs);
    for (int i = 0; i < a->conv_count; i++)
    {
        const sac_conv_layer *layer = &a->conv[i];
        char name[16];
        snprintf(name, sizeof name, "conv%d", i);
        add_layer(file, name, layer->bias, layer->weight, layer->out_channels,
                  layer->in_channels * config->conv_kernel * config->conv_kernel);
    }
}

static void add_lstm_constants(sac_c_file *file)
{
    const sac_agent *a = file->agent;
    const size_t *at = a->controller_views;
    const float *parameters = file->rounded->parameters;
    sac_grow_text(&file->text, "static const float lstm_bias[%d] = {\n", 4 * a->hidden_size);
    for (int i = 0; i < 4 * a->hidden_size; i++)
    {
        float sum = parameters[at[1] + (size_t)i] + parameters[at[0] + (size_t)i];
        sac_grow_text(&file->text, "%s%.8ef,", i % 8 == 0 ? "\n    " : "", (double)sum);
    }
    sac_grow_text(&file->text, "\n};\n\n");
    file->sizes.constants += 4 * (size_t)a->hidden_size * sizeof(float);
    sac_c_matrix(file, "lstm_weight_hh", at[2], 4 * a->hidden_size, a->hidden_size);
    sac_c_matrix(file, "lstm_weight_ih", at[3], 4 * a->hidden_size, a->feature_count);
    add_layer(file, "output", at[4], at[5], a->output_size, a->hidden_size);
}

static bool is(const sac_c_file *file, const char *controller)
{
    return strcmp(file->agent->controller->name, controller) == 0;
}

static void add_filter(sac_c_file *file)
{
    const sac_policy *policy = file->rounded;
    if (policy->filter_size == 0) return;
    sac_c_floats(file, "filter_mean", policy->parameters + policy->filter_mean, (size_t)policy->filter_size);
    sac_c_floats(file, "filter_whitening", file->state->whitening, (size_t)policy->filter_size);
}

void sac_c_controller_constants(sac_c_file *file)
{
    const sac_agent *a = file->agent;
    const sac_policy_def *def = &file->policy->def;
    const size_t *at = a->controller_views;
    add_feature_constants(file);
    sac_grow_text(&file->text,
                  "enum\n{\n    HIDDEN = %d,\n    ACTIONS = %d,\n    ACTION_SIZE = %d,\n    STRETCHED = %d\n};\n\n",
                  a->hidden_size, a->output_size, def->action_size, strcmp(a->config.activation, "none") != 0);
    if (is(file, "lstm")) add_lstm_constants(file);
    if (is(file, "mlp"))
    {
        add_layer(file, "hidden", at[0], at[1], a->hidden_size, a->feature_count);
        add_layer(file, "output", at[2], at[3], a->output_size, a->hidden_size);
    }
    if (is(file, "linear")) add_layer(file, "output", at[0], at[1], a->output_size, a->feature_count);
    add_filter(file);
    if (def->action_choices > 0) return;
    sac_c_floats(file, "action_low", def->action_low, (size_t)def->action_size);
    sac_c_floats(file, "action_high", def->action_high, (size_t)def->action_size);
}

void sac_c_controller_fields(sac_c_file *file)
{
    const sac_agent *a = file->agent;
    size_t real = sizeof(float);
    sac_c_field(file, "uint16_t", sizeof(uint16_t), "top", "[TOP]", (size_t)a->config.top);
    if (a->wants_pixels) sac_c_field(file, "float", real, "pixels", "[PATCH * PATCH * CHANNELS]", (size_t)a->inputs);
    sac_c_field(file, "float", real, "features", "[TOLD]", (size_t)a->feature_count);
    if (a->config.motion)
    {
        sac_c_field(file, "float", real, "before", "[TOLD / 2]", (size_t)a->told_count);
        sac_c_field(file, "uint16_t", sizeof(uint16_t), "started", "", 1);
    }
    sac_c_field(file, "float", real, "hidden", "[HIDDEN]", (size_t)a->hidden_size);
    if (a->has_cell) sac_c_field(file, "float", real, "cell", "[HIDDEN]", (size_t)a->hidden_size);
    sac_c_field(file, "float", real, "output", "[ACTIONS]", (size_t)a->output_size);
}

static void add_conv(sac_c_file *file)
{
    const sac_agent *a = file->agent;
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
    const sac_agent *a = file->agent;
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

void sac_c_controller_code(sac_c_file *file)
{
    const sac_agent *a = file->agent;
    const char *action = file->policy->def.action_choices == 0 ? "box" : a->threshold ? "threshold" : "largest";
    char name[80];
    if (a->part_count > 0) sac_c_part(file, "top.c");
    if (a->wants_pixels) sac_c_part(file, "pixels.c");
    for (int i = 0; i < a->part_count; i++)
    {
        snprintf(name, sizeof name, "features_%s.c", a->parts[i]->name);
        if (strcmp(a->parts[i]->name, "conv") == 0)
            add_conv(file);
        else
            sac_c_part(file, name);
    }
    if (a->part_count > 0) add_tell(file);
    if (a->config.motion) sac_c_part(file, "motion.c");
    if (file->policy->filter_size > 0) sac_c_part(file, "filter.c");
    snprintf(name, sizeof name, "controller_%s.c", a->controller->name);
    sac_c_part(file, name);
    snprintf(name, sizeof name, "activation_%.40s.c", a->config.activation);
    sac_c_part(file, name);
    snprintf(name, sizeof name, "decide_%s.c", action);
    sac_c_part(file, name);
}
