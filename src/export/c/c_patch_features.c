#include <stdio.h>
#include <string.h>

#include "export/c/agent_c.h"

// This file writes what the controller is told of kept patches.

// Tell whether the controller is told the patch feature of this name.
static bool tells(const sac_agent *a, const char *name)
{
    for (int i = 0; i < a->part_count; i++)
        if (strcmp(a->parts[i]->name, name) == 0) return true;
    return false;
}

// Learned weights are there for values and convolutions; positions and histograms have none.
void sac_c_patch_feature_constants(sac_c_file *file)
{
    const sac_agent *a = file->parts.agent;
    if (tells(a, "values")) sac_c_layer(file, "value", a->value, a->config.value_size, a->embedding.inputs);
    for (int i = 0; i < a->conv_count; i++)
    {
        const sac_conv_layer *layer = &a->conv[i];
        char name[16];
        snprintf(name, sizeof name, "conv%d", i);
        sac_c_layer(file, name, layer->tensors, layer->out_channels,
                    layer->in_channels * a->config.conv_kernel * a->config.conv_kernel);
    }
}

// Writes a function that runs the stack of convolutions. Two images take turns: each layer reads the one that the layer
// before has written, and the last layer writes to what the controller is told.
static void add_conv(sac_c_file *file)
{
    const sac_agent *a = file->parts.agent;
    sac_growing *text = &file->text;
    sac_c_part(file, "patch_conv.c");
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

// Writes the function that tells of every kept patch in turn. With masking a patch has a place of its own among all
// patches, otherwise its rank among those that are kept.
static void add_tell(sac_c_file *file)
{
    const sac_agent *a = file->parts.agent;
    sac_growing *text = &file->text;
    sac_grow_text(text, "/* what the controller is told of the kept patches */\n"
                        "static void tell(const uint8_t *image)\n{\n    int k;\n    (void)image;\n");
    if (a->config.masking) sac_grow_text(text, "    for (k = 0; k < TOLD; k++) state.told[k] = 0;\n");
    sac_grow_text(text, "    for (k = 0; k < TOP; k++)\n    {\n        float *out = state.told + %s * TOLD_EACH;\n",
                  a->config.masking ? "state.top[k]" : "k");
    if (a->wants_pixels) sac_grow_text(text, "        read_patch(image, state.top[k]);\n");
    for (int i = 0; i < a->part_count; i++)
        sac_grow_text(text, "        out = tell_%s(out, state.top[k]);\n", a->parts[i]->name);
    sac_grow_text(text, "        (void)out;\n    }\n}\n\n");
}

void sac_c_patch_feature_code(sac_c_file *file)
{
    const sac_agent *a = file->parts.agent;
    char name[80];
    sac_c_part(file, "top.c");
    if (a->wants_pixels) sac_c_part(file, "pixels.c");
    for (int i = 0; i < a->part_count; i++)
    {
        snprintf(name, sizeof name, "patch_%s.c", a->parts[i]->name);
        if (strcmp(a->parts[i]->name, "conv") == 0)
            add_conv(file);
        else
            sac_c_part(file, name);
    }
    add_tell(file);
}
