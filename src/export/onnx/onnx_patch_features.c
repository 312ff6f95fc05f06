#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "export/onnx/onnx.h"

// importance -> the kept patches -> the patch features of each of them, [K, numbers]

// "kept_row", "kept_column" [K] of the grid
static void add_kept(sac_onnx *o)
{
    const sac_agent *a = o->parts.agent;
    sac_onnx_ints(o, "kept_count", (const int64_t[]){a->config.top}, 1);
    sac_onnx_node(o, "TopK", "importance kept_count", "kept_importance kept", "axis", 'i', 0, NULL);
    sac_onnx_ints(o, "columns", (const int64_t[]){a->embedding.patches.columns}, 1);
    sac_onnx_ints(o, "stride", (const int64_t[]){a->embedding.patches.stride}, 1);
    // whole numbers are divided as in C: the quotient is the row, and the rest the column
    sac_onnx_node(o, "Div", "kept columns", "kept_row", NULL);
    sac_onnx_node(o, "Mul", "kept_row columns", "row_start", NULL);
    sac_onnx_node(o, "Sub", "kept row_start", "kept_column", NULL);
}

// Row and column of the centres, in units of the image's height: whole numbers up to the last division, so that the
// result has the library's bits.
static void add_positions(sac_onnx *o, const char *out)
{
    const sac_agent *a = o->parts.agent;
    sac_onnx_ints(o, "middle", (const int64_t[]){a->embedding.patches.patch / 2}, 1);
    sac_onnx_node(o, "Unsqueeze", "kept_row one", "tall_row", NULL);
    sac_onnx_node(o, "Unsqueeze", "kept_column one", "tall_column", NULL);
    sac_onnx_node(o, "Concat", "tall_row tall_column", "places", "axis", 'i', 1, NULL);
    sac_onnx_node(o, "Mul", "places stride", "corners", NULL);
    sac_onnx_node(o, "Add", "corners middle", "centers", NULL);
    sac_onnx_node(o, "Cast", "centers", "centers_float", "to", 'i', SAC_ONNX_FLOAT, NULL);
    sac_onnx_number(o, "height", a->config.normalise_positions ? (float)a->embedding.patches.height : 1.0f);
    sac_onnx_node(o, "Div", "centers_float height", out, NULL);
}

// "patch_pixels" [K, patch * patch * C], 0..1, in the order row, column, channel
static sac_status add_patch_pixels(sac_onnx *o)
{
    const sac_agent *a = o->parts.agent;
    const sac_patches *p = &a->embedding.patches;
    int row = p->patch * p->channels;
    int64_t *offsets = SAC_NEW_ARRAY(int64_t, (size_t)a->embedding.inputs);
    if (!offsets) return sac_fail_memory("an ONNX graph");
    // where the pixels of a patch lie, counted from its first one; one Gather then takes all patches
    for (int i = 0; i < a->embedding.inputs; i++) offsets[i] = i / row * p->width * p->channels + i % row;
    sac_onnx_tensor(o, "pixel_offsets", SAC_ONNX_INT64, offsets, 2, (const int64_t[]){1, a->embedding.inputs});
    sac_free(offsets);
    sac_onnx_ints(o, "row_step", (const int64_t[]){p->stride * p->width * p->channels}, 1);
    sac_onnx_ints(o, "column_step", (const int64_t[]){p->stride * p->channels}, 1);
    sac_onnx_ints(o, "all", (const int64_t[]){-1}, 1);
    sac_onnx_number(o, "white", 255);
    sac_onnx_node(o, "Transpose", "planes", "by_pixel", "perm", 'I', 3, 1, 2, 0, NULL);
    sac_onnx_node(o, "Reshape", "by_pixel all", "pixel_list", NULL);
    sac_onnx_node(o, "Mul", "kept_row row_step", "first_of_row", NULL);
    sac_onnx_node(o, "Mul", "kept_column column_step", "first_of_column", NULL);
    sac_onnx_node(o, "Add", "first_of_row first_of_column", "first_pixel", NULL);
    sac_onnx_node(o, "Unsqueeze", "first_pixel one", "first_pixels", NULL);
    sac_onnx_node(o, "Add", "first_pixels pixel_offsets", "pixel_index", NULL);
    sac_onnx_node(o, "Gather", "pixel_list pixel_index", "patch_bytes", "axis", 'i', 0, NULL);
    sac_onnx_node(o, "Div", "patch_bytes white", "patch_pixels", NULL);
    return SAC_OK;
}

// The share of a channel's pixels in each bin. Counts are whole numbers, so they have the library's bits.
static void add_histogram(sac_onnx *o, const char *out)
{
    const sac_agent *a = o->parts.agent;
    int bins = a->config.bins, pixels = a->config.patch * a->config.patch;
    sac_onnx_number(o, "bins", (float)bins);
    sac_onnx_number(o, "last_bin", (float)(bins - 1));
    sac_onnx_number(o, "pixel_count", (float)pixels);
    sac_onnx_ints(o, "bin_count", (const int64_t[]){bins}, 1);
    sac_onnx_floats(o, "off_on", (const float[]){0, 1}, 0, 2);
    sac_onnx_ints(o, "channel_shape", (const int64_t[]){a->config.top, pixels, a->embedding.channels}, 3);
    sac_onnx_ints(o, "histogram_shape", (const int64_t[]){a->config.top, a->embedding.channels * bins}, 2);
    sac_onnx_node(o, "Mul", "patch_pixels bins", "bin_place", NULL);
    sac_onnx_node(o, "Floor", "bin_place", "bin_floor", NULL);
    sac_onnx_node(o, "Clip", "bin_floor nothing last_bin", "bin_float", NULL);
    sac_onnx_node(o, "Reshape", "bin_float channel_shape", "bin_by_channel", NULL);
    sac_onnx_node(o, "Cast", "bin_by_channel", "bin", "to", 'i', SAC_ONNX_INT64, NULL);
    sac_onnx_node(o, "OneHot", "bin bin_count off_on", "in_bin", "axis", 'i', -1, NULL);
    sac_onnx_node(o, "ReduceSum", "in_bin one", "counts", "keepdims", 'i', 0, NULL);
    sac_onnx_node(o, "Div", "counts pixel_count", "shares", NULL);
    sac_onnx_node(o, "Reshape", "shares histogram_shape", out, NULL);
}

// Learned values: one linear layer on the pixels.
static void add_values(sac_onnx *o, const char *out)
{
    const sac_agent *a = o->parts.agent;
    sac_onnx_floats(o, "value_weight", o->policy->parameters + a->value.weight, a->config.value_size,
                    a->embedding.inputs);
    sac_onnx_floats(o, "value_bias", o->policy->parameters + a->value.bias, 0, a->config.value_size);
    sac_onnx_node(o, "Gemm", "patch_pixels value_weight value_bias", out, "transB", 'i', 1, NULL);
}

// The stack of convolutions, over all kept patches as one batch. ONNX has channels first, and the library has them
// last.
static void add_conv(sac_onnx *o, const char *out)
{
    const sac_agent *a = o->parts.agent;
    int side = a->config.patch, k = a->config.conv_kernel, stride = a->config.conv_stride;
    sac_onnx_ints(o, "stack_shape", (const int64_t[]){a->config.top, side, side, a->embedding.channels}, 4);
    sac_onnx_ints(o, "stack_size", (const int64_t[]){a->config.top, -1}, 2);
    sac_onnx_node(o, "Reshape", "patch_pixels stack_shape", "stack_by_pixel", NULL);
    sac_onnx_node(o, "Transpose", "stack_by_pixel", "stack0", "perm", 'I', 4, 0, 3, 1, 2, NULL);
    char last[32] = "stack0";
    for (int i = 0; i < a->conv_count; i++)
    {
        const sac_conv_layer *layer = &a->conv[i];
        char number[16], inputs[80];
        snprintf(number, sizeof number, "%d", i + 1);
        snprintf(inputs, sizeof inputs, "%s stack_kernel@ stack_bias@", last);
        o->side = number;
        sac_onnx_tensor(o, "stack_kernel@", SAC_ONNX_FLOAT, o->policy->parameters + layer->tensors.weight, 4,
                        (const int64_t[]){layer->out_channels, layer->in_channels, k, k});
        sac_onnx_floats(o, "stack_bias@", o->policy->parameters + layer->tensors.bias, 0, layer->out_channels);
        sac_onnx_node(o, "Conv", inputs, "stack_sum@", "strides", 'I', 2, stride, stride, "kernel_shape", 'I', 2, k, k,
                      NULL);
        sac_onnx_node(o, "Tanh", "stack_sum@", "stack@", NULL);
        snprintf(last, sizeof last, "stack%d", i + 1);
        o->side = NULL;
    }
    sac_onnx_node(o, "Transpose", last, "stack_out", "perm", 'I', 4, 0, 2, 3, 1, NULL);
    sac_onnx_node(o, "Reshape", "stack_out stack_size", out, NULL);
}

static const struct
{
    const char *name;
    void (*add)(sac_onnx *o, const char *out);
} parts[] = {{"positions", add_positions}, {"histogram", add_histogram}, {"values", add_values}, {"conv", add_conv}};

// Adds what the controller is told under one name of `patch_features`, as "told_NAME".
static sac_status add_part(sac_onnx *o, const char *name)
{
    char out[64];
    snprintf(out, sizeof out, "told_%s", name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].name, name) == 0)
        {
            parts[i].add(o, out);
            return SAC_OK;
        }
    return sac_fail(SAC_ERROR_UNAVAILABLE, "export: patch features %s are not among those that the ONNX graph knows",
                    name);
}

// Each patch is written in its own place, with zeros where a patch is not kept.
static sac_status add_masking(sac_onnx *o)
{
    const sac_agent *a = o->parts.agent;
    float *nobody = SAC_NEW_MATRIX(float, (size_t)a->embedding.count, (size_t)a->patch_numbers);
    if (!nobody) return sac_fail_memory("an ONNX graph");
    sac_onnx_floats(o, "nobody", nobody, a->embedding.count, a->patch_numbers);
    sac_free(nobody);
    sac_onnx_node(o, "Unsqueeze", "kept one", "kept_places", NULL);
    sac_onnx_node(o, "ScatterND", "nobody kept_places kept_told", "every_told", NULL);
    return SAC_OK;
}

void sac_onnx_add_kept_ports(sac_onnx *o)
{
    sac_onnx_port(o, true, "kept", SAC_ONNX_INT64, 1, (const int64_t[]){o->parts.agent->config.top});
    sac_onnx_add_importance_port(o);
}

sac_status sac_onnx_add_patch_features(sac_onnx *o)
{
    const sac_agent *a = o->parts.agent;
    SAC_TRY(sac_onnx_add_attention(o));
    add_kept(o);
    if (a->wants_pixels) SAC_TRY(add_patch_pixels(o));
    char all[SAC_MAX_PATCH_FEATURES * 64] = "";
    for (int i = 0; i < a->part_count; i++)
    {
        SAC_TRY(add_part(o, a->parts[i]->name));
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%stold_%s", i ? " " : "", a->parts[i]->name);
    }
    sac_onnx_node(o, "Concat", all, "kept_told", "axis", 'i', 1, NULL);
    if (a->config.masking) SAC_TRY(add_masking(o));
    sac_onnx_ints(o, "seen_shape", (const int64_t[]){1, a->told_count}, 2);
    sac_onnx_node(o, "Reshape", a->config.masking ? "every_told seen_shape" : "kept_told seen_shape", "seen", NULL);
    return SAC_OK;
}
