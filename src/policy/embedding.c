#include "policy/embedding.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

// Choose the rows of the observation that are looked at.
static sac_status plan_rows(sac_embedding *e, const sac_policy_def *def, sac_crop crop)
{
    const int left = def->height - crop.top;
    if (left < 1 || crop.height > left)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: crop_top is %d and crop_height %d, but the observation has %d rows of pixels",
                        crop.top, crop.height, def->height);
    e->first = (size_t)crop.top * (size_t)def->width * (size_t)def->channels;
    e->height = crop.height ? crop.height : left;
    e->above = crop.top;
    e->beneath = left - e->height;
    e->width = def->width;
    e->channels = def->channels;
    return SAC_OK;
}

sac_status sac_embedding_plan(sac_embedding *e, const sac_policy_def *def, sac_crop crop, int patch, int stride,
                              int outputs, const char *option)
{
    SAC_TRY(plan_rows(e, def, crop));
    const int size = crop.image_size, height = size ? size : e->height, width = size ? size : e->width;
    if (patch > height || patch > width)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: %s is %d, larger than the image of %d x %d pixels", option, patch,
                        height, width);
    e->projector = sac_projector_create(height, width, def->channels, def->channels, patch, stride, outputs);
    e->patches = e->projector.bytes;
    e->count = e->patches.rows * e->patches.columns;
    e->token_stride = sac_round_up(e->count);
    e->inputs = sac_patch_size(&e->patches);
    if (height == e->height && width == e->width) return SAC_OK;
    return sac_resize_create(&e->resize, e->height, e->width, def->channels, height, width, SAC_RESIZE_BILINEAR);
}

void sac_embedding_add(sac_embedding *e, sac_layer tensors, int outputs)
{
    SAC_ASSERT(e->layer_count < SAC_MAX_EMBEDDING_LAYERS);
    e->layers[e->layer_count].tensors = tensors;
    e->layers[e->layer_count++].outputs = outputs;
}

void sac_embedding_clear(sac_embedding *e)
{
    sac_resize_destroy(e->resize);
    sac_free(e->positions);
}

// Everything that looking at an image needs lies in the state's one block, so that acting allocates nothing.
void sac_embedding_place(sac_embedding_state *s, const sac_embedding *e, sac_workspace *workspace)
{
    size_t outputs = (size_t)e->patches.outputs, stride = (size_t)e->token_stride;
    size_t image = (size_t)e->patches.height * (size_t)e->patches.width * (size_t)e->channels;
    size_t resized = e->resize ? image : 0;
    sac_projector_take_weights(&s->weights, &e->projector, workspace);
    s->offsets = sac_take(workspace, e->positions ? outputs * stride : 0, sizeof(float));
    s->resized_bytes = sac_take(workspace, resized, sizeof(uint8_t));
    s->resized_floats = sac_take(workspace, resized, sizeof(float));
    s->resize_workspace = sac_take_scratch(workspace, e->resize ? sac_resize_workspace_size(e->resize) : 0, 1);
    sac_projector_take_scratch(&s->scratch, &e->projector, workspace);
    s->tokens = sac_take(workspace, outputs * stride, sizeof(float));
}

// W (x - centre) + b = W x + (b - centre W 1): centred pixels cost nothing when a policy acts.
static void centre_bias(float *bias, const sac_embedding *e, const float *weights)
{
    for (int o = 0; o < e->patches.outputs; o++)
    {
        double sum = 0;
        for (int i = 0; i < e->inputs; i++) sum += (double)weights[(ptrdiff_t)o * e->inputs + i];
        bias[o] = (float)((double)bias[o] - (double)e->centre * sum);
    }
}

// The layers share one projection, so that the image is read once for queries, keys and values.
void sac_embedding_set(sac_embedding_state *s, const sac_embedding *e, const float *parameters)
{
    size_t inputs = (size_t)e->inputs, first = 0;
    for (int i = 0; i < e->layer_count; i++)
    {
        size_t count = (size_t)e->layers[i].outputs;
        memcpy(s->weights.bias + first, parameters + e->layers[i].tensors.bias, count * sizeof(float));
        memcpy(s->weights.floats + first * inputs, parameters + e->layers[i].tensors.weight,
               count * inputs * sizeof(float));
        first += count;
    }
    sac_projector_pack(&s->weights, &e->projector, s->weights.floats);
    if (e->centre != 0) centre_bias(s->weights.bias, e, s->weights.floats);
    if (e->positions) // W (x + p) = W x + W p
        e->projector.kernels.mix(s->offsets, e->token_stride, s->weights.floats, e->inputs, e->patches.outputs,
                                 e->positions, e->inputs, e->count, e->token_stride);
}

static void add_positions(sac_embedding_state *s, const sac_embedding *e)
{
    if (e->positions)
        sac_tokens_add(s->tokens, e->token_stride, s->offsets, e->token_stride, e->patches.outputs, e->count);
}

void sac_embedding_run(sac_embedding_state *s, const sac_embedding *e, const uint8_t *rows)
{
    s->bytes = rows;
    s->floats = NULL;
    if (e->resize)
    {
        sac_image image = sac_image_of(rows, e->height, e->width, e->channels, SAC_PIXELS_PLAIN);
        sac_resize_run(e->resize, s->resized_bytes, &image, s->resize_workspace);
        s->bytes = s->resized_bytes;
    }
    const sac_patches *p = &e->patches;
    sac_projector_run(&e->projector, &s->weights, s->tokens, e->token_stride, s->bytes, p->pitch, p->rows, &s->scratch);
    add_positions(s, e);
}

void sac_embedding_run_floats(sac_embedding_state *s, const sac_embedding *e, const float *rows)
{
    s->floats = rows;
    s->bytes = NULL;
    if (e->resize)
    {
        sac_float_image image = sac_float_image_of(rows, e->height, e->width, e->channels);
        sac_resize_run_floats(e->resize, s->resized_floats, &image, s->resize_workspace);
        s->floats = s->resized_floats;
    }
    sac_projector_run_floats(&e->projector, &s->weights, s->tokens, e->token_stride, s->floats, e->patches.pitch,
                             &s->scratch);
    add_positions(s, e);
}

// The pixels are those that the tokens were computed from, after resizing, not those of the camera.
void sac_embedding_patch(const sac_embedding_state *s, const sac_embedding *e, int index, float *pixels)
{
    const sac_patches *p = &e->patches;
    size_t row_size = (size_t)(p->patch * p->channels), pitch = (size_t)(p->width * p->channels);
    size_t y = (size_t)(index / p->columns * p->stride), x = (size_t)(index % p->columns * p->stride * p->channels);
    for (size_t row = 0; row < (size_t)p->patch; row++)
    {
        size_t from = (y + row) * pitch + x;
        if (s->floats)
            memcpy(pixels, s->floats + from, row_size * sizeof(float));
        else
            for (size_t i = 0; i < row_size; i++) pixels[i] = (float)s->bytes[from + i] / 255.0f;
        pixels += row_size;
    }
}
