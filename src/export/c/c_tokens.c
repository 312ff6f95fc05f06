#include <stdio.h>

#include "base/error.h"
#include "export/c/agent_c.h"
#include "export/round.h"
#include "tokens/image.h"

// This file writes the projection of patches: int16 weights as the library rounds them, or int8 steps from which these
// are made.

// Find the int16 weight of a patch's number in the order in which the kernels store them (kernels.h).
int sac_c_weight(const sac_policy_parts *parts, int output, int i)
{
    const sac_patches *p = &parts->embedding->patches;
    // the inverse of `put` in kernels/pack.c
    int row_size = p->patch * p->channels, pairs = (row_size + 3) / 4 * 2, row = i / row_size, byte = i % row_size;
    int block_row = output / SAC_PROJECT_BLOCK * p->patch + row, pair = byte / 4 * 2 + byte % 2;
    int32_t both = parts->embedding_state->weights
                       .packed[(block_row * pairs + pair) * SAC_PROJECT_BLOCK + output % SAC_PROJECT_BLOCK];
    return (int16_t)((uint32_t)both >> (byte % 4 / 2 * 16));
}

// All weights as they are multiplied: two bytes each.
static void add_weights(sac_c_file *file)
{
    const sac_embedding *e = file->parts.embedding;
    sac_growing *text = &file->text;
    sac_grow_text(text, "static const int16_t projection[OUTPUTS][%d] = {\n", e->inputs);
    for (int o = 0; o < e->patches.outputs; o++)
    {
        sac_grow_text(text, "    {");
        for (int i = 0; i < e->inputs; i++)
            sac_grow_text(text, "%d,%s", sac_c_weight(&file->parts, o, i), i % 16 == 15 ? "\n     " : "");
        sac_grow_text(text, "},\n");
    }
    sac_grow_text(text,
                  "};\n\nstatic const int16_t *projection_row(int output)\n{\n    return projection[output];\n}\n\n");
    file->sizes.constants += (size_t)e->patches.outputs * (size_t)e->inputs * sizeof(int16_t);
}

// Find where an output's weights are among the parameters.
static size_t row_offset(const sac_embedding *e, int output)
{
    int layer = 0;
    for (; output >= e->layers[layer].outputs; layer++) output -= e->layers[layer].outputs;
    return e->layers[layer].tensors.weight + (size_t)output * (size_t)e->inputs;
}

// Write the steps, and the code that makes int16 weights of them as the library would: step -> float32 -> int16.
static void add_small_weights(sac_c_file *file)
{
    const sac_embedding *e = file->parts.embedding;
    sac_growing *text = &file->text;
    sac_grow_text(text, "static const int8_t projection_steps[OUTPUTS][%d] = {\n", e->inputs);
    for (int o = 0; o < e->patches.outputs; o++)
    {
        const float *row = file->policy->parameters + row_offset(e, o);
        float scale = sac_round_scale(row, e->inputs);
        sac_grow_text(text, "    {");
        for (int i = 0; i < e->inputs; i++)
            sac_grow_text(text, "%d,%s", sac_round_step(row[i], scale), i % 24 == 23 ? "\n     " : "");
        sac_grow_text(text, "},\n");
    }
    sac_grow_text(text, "};\n\nstatic const float projection_step[OUTPUTS] = {");
    for (int o = 0; o < e->patches.outputs; o++)
        sac_grow_text(text, "%.8ef, ", (double)sac_round_scale(file->policy->parameters + row_offset(e, o), e->inputs));
    sac_grow_text(text, "};\n\nstatic const double projection_inverse[OUTPUTS] = {");
    for (int o = 0; o < e->patches.outputs; o++)
        sac_grow_text(text, "%.17g, ", sac_project_inverse(file->rounded->parameters + row_offset(e, o), e->inputs));
    sac_grow_text(text, "};\n\n");
    file->sizes.constants += (size_t)e->patches.outputs * ((size_t)e->inputs + sizeof(float) + sizeof(double));
    file->sizes.memory += (size_t)e->inputs * sizeof(int16_t);
    sac_c_part(file, "small_weights.c");
}

// A table of whole numbers in the smallest type that holds them.
static void add_ints(sac_c_file *file, const char *type, size_t size, const char *name, const int32_t *values,
                     int count)
{
    sac_growing *text = &file->text;
    sac_grow_text(text, "static const %s %s[%d] = {", type, name, count);
    for (int i = 0; i < count; i++) sac_grow_text(text, "%s%d,", i % 16 ? "" : "\n    ", (int)values[i]);
    sac_grow_text(text, "\n};\n\n");
    file->sizes.constants += (size_t)count * size;
}

// One axis of the resizing: for each pixel of the result the first source pixel, how many there are, and their weights
// in parts of 2^22, as Pillow rounds them.
static void add_axis(sac_c_file *file, const char *side, bool rows)
{
    sac_resize_axis axis = sac_resize_get_axis(file->parts.embedding->resize, rows);
    char name[32];
    snprintf(name, sizeof name, "%s_first", side);
    add_ints(file, "int16_t", sizeof(int16_t), name, axis.first, axis.out);
    snprintf(name, sizeof name, "%s_count", side);
    add_ints(file, "int16_t", sizeof(int16_t), name, axis.count, axis.out);
    snprintf(name, sizeof name, "%s_weights", side);
    add_ints(file, "int32_t", sizeof(int32_t), name, axis.weights, axis.out * axis.taps);
    sac_grow_text(&file->text, "enum\n{\n    %s_TAPS = %d\n};\n\n", rows ? "ROW" : "COLUMN", axis.taps);
}

void sac_c_token_fields(sac_c_file *file)
{
    const sac_patches *p = &file->parts.embedding->patches;
    // without resizing the caller's own image is read
    if (!file->parts.embedding->resize) return;
    size_t row = (size_t)p->width * (size_t)p->channels;
    sac_c_field(file, "int32_t", sizeof(int32_t), "wide", "[WIDTH * CHANNELS]", row);
    sac_c_field(file, "uint8_t", 1, "strip", "[PATCH * WIDTH * CHANNELS]", (size_t)p->patch * row);
}

sac_status sac_c_token_constants(sac_c_file *file)
{
    const sac_embedding *e = file->parts.embedding;
    const sac_patches *p = &e->patches;
    // patches are numbered in 16 bits, which halves the largest tables of softmax
    if (e->count > UINT16_MAX)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: %d patches, expected at most %d", e->count, UINT16_MAX);
    sac_grow_text(
        &file->text,
        "enum\n{\n    INPUT_HEIGHT = %d,\n    INPUT_WIDTH = %d,\n    CROP_TOP = %d,\n    HEIGHT = %d,\n    WIDTH = "
        "%d,\n    CHANNELS = "
        "%d,\n    PATCH = %d,\n    STRIDE = %d,\n"
        "    ROWS = %d,\n    COLUMNS = %d,\n    TOKENS = ROWS * COLUMNS,\n    OUTPUTS = %d,\n    D = %d\n};\n\n",
        file->policy->def.height, file->policy->def.width, e->above, p->height, p->width, p->channels, p->patch,
        p->stride, p->rows, p->columns, p->outputs, file->reading->numbers(&file->parts).key_size);
    if (e->resize) add_axis(file, "column", false), add_axis(file, "row", true);
    if (file->def->int8)
        add_small_weights(file);
    else
        add_weights(file);
    sac_c_floats(file, "projection_scale", file->parts.embedding_state->weights.scales, (size_t)p->outputs);
    sac_c_floats(file, "projection_bias", file->parts.embedding_state->weights.bias, (size_t)p->outputs);
    if (!e->positions) return SAC_OK;
    // Positions are sinusoids of fixed places (Vaswani et al. 2017), so their projection is a constant: it is written,
    // and no sine is computed.
    sac_grow_text(&file->text, "static const float position_code[OUTPUTS][TOKENS] = {\n");
    for (int o = 0; o < p->outputs; o++)
    {
        sac_grow_text(&file->text, "    {");
        for (int n = 0; n < e->count; n++)
            sac_grow_text(&file->text, "%.8ef,%s",
                          (double)file->parts.embedding_state->offsets[(size_t)o * (size_t)e->token_stride + (size_t)n],
                          n % 8 == 7 ? "\n     " : "");
        sac_grow_text(&file->text, "},\n");
    }
    sac_grow_text(&file->text, "};\n\n");
    file->sizes.constants += (size_t)p->outputs * (size_t)e->count * sizeof(float);
    return SAC_OK;
}

void sac_c_token_code(sac_c_file *file)
{
    sac_c_part(file, file->parts.embedding->resize ? "resize.c" : "strip.c");
    sac_c_part(file, "tokens.c");
    if (file->parts.embedding->positions) sac_c_part(file, "positions_code.c");
}
