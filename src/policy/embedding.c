#include "policy/embedding.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/arrays.h"

sac_status sac_embedding_plan(sac_embedding *e, const sac_policy_def *def, int image_size, int patch, int stride,
                              int outputs, const char *option)
{
    int height = image_size ? image_size : def->height, width = image_size ? image_size : def->width;
    if (patch > height || patch > width)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: %s is %d, larger than the image of %d x %d pixels", option, patch,
                        height, width);
    e->kernels = sac_kernels_create(sac_get_cpu_level());
    e->height = def->height;
    e->width = def->width;
    e->channels = def->channels;
    e->patches = sac_patches_create(height, width, def->channels, patch, stride, outputs);
    e->count = e->patches.rows * e->patches.columns;
    e->stride = sac_round_up(e->count);
    e->inputs = sac_patch_size(&e->patches);
    if (height == def->height && width == def->width) return SAC_OK;
    return sac_resize_create(&e->resize, def->height, def->width, def->channels, height, width, SAC_RESIZE_BILINEAR);
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

size_t sac_embedding_place(sac_embedding_state *s, const sac_embedding *e, unsigned char *block)
{
    size_t outputs = (size_t)e->patches.outputs, stride = (size_t)e->stride;
    size_t image = (size_t)e->patches.height * (size_t)e->patches.width * (size_t)e->channels;
    size_t resized = e->resize ? image : 0;
    const sac_array arrays[] = {
        SAC_ARRAY(s, projection, outputs * (size_t)e->inputs),
        SAC_ARRAY(s, bias, outputs),
        SAC_ARRAY(s, offsets, e->positions ? outputs * stride : 0),
        SAC_ARRAY(s, packed, sac_project_packed_count(&e->patches)),
        SAC_ARRAY(s, scales, outputs),
        SAC_ARRAY(s, resized_bytes, resized),
        SAC_ARRAY(s, resized_floats, resized),
        SAC_BYTES(s, resize_workspace, e->resize ? sac_resize_workspace_size(e->resize) : 0),
        SAC_BYTES(s, project_scratch, sac_project_scratch_size(&e->patches)),
        SAC_ARRAY(s, sums, outputs * stride),
        SAC_ARRAY(s, tokens, outputs * stride),
    };
    return sac_arrays_place(arrays, sizeof arrays / sizeof *arrays, block);
}

void sac_embedding_set(sac_embedding_state *s, const sac_embedding *e, const float *parameters)
{
    size_t inputs = (size_t)e->inputs, first = 0;
    for (int i = 0; i < e->layer_count; i++)
    {
        size_t count = (size_t)e->layers[i].outputs;
        memcpy(s->bias + first, parameters + e->layers[i].tensors.bias, count * sizeof(float));
        memcpy(s->projection + first * inputs, parameters + e->layers[i].tensors.weight,
               count * inputs * sizeof(float));
        first += count;
    }
    sac_project_quantise(s->packed, s->scales, s->projection, &e->patches);
    for (int o = 0; o < e->patches.outputs; o++) s->scales[o] = (float)((double)s->scales[o] / 255.0);
    if (e->positions) // W (x + p) = W x + W p
        e->kernels.mix(s->offsets, e->stride, s->projection, e->inputs, e->patches.outputs, e->positions, e->inputs,
                       e->count, e->stride);
}

static void add_positions(sac_embedding_state *s, const sac_embedding *e)
{
    if (e->positions) sac_tokens_add(s->tokens, e->stride, s->offsets, e->stride, e->patches.outputs, e->count);
}

// from bytes the sums are whole numbers, so every level gives the same bits
void sac_embedding_run(sac_embedding_state *s, const sac_embedding *e, const uint8_t *observation)
{
    s->bytes = observation;
    s->floats = NULL;
    if (e->resize)
    {
        sac_image image = sac_image_view(observation, e->height, e->width, e->channels, SAC_PIXELS_PLAIN);
        sac_resize_run(e->resize, s->resized_bytes, &image, s->resize_workspace);
        s->bytes = s->resized_bytes;
    }
    e->kernels.project_bytes(s->sums, e->stride, s->bytes, s->packed, &e->patches, s->project_scratch);
    for (int o = 0; o < e->patches.outputs; o++)
    {
        size_t row = (size_t)o * (size_t)e->stride;
        e->kernels.rescale(s->tokens + row, s->sums + row, s->scales[o], s->bias[o], e->count);
    }
    add_positions(s, e);
}

void sac_embedding_run_floats(sac_embedding_state *s, const sac_embedding *e, const float *observation)
{
    s->floats = observation;
    s->bytes = NULL;
    if (e->resize)
    {
        sac_float_image image = sac_float_image_view(observation, e->height, e->width, e->channels);
        sac_resize_run_floats(e->resize, s->resized_floats, &image, s->resize_workspace);
        s->floats = s->resized_floats;
    }
    e->kernels.project_floats(s->tokens, e->stride, s->floats, s->projection, &e->patches, s->project_scratch);
    for (int o = 0; o < e->patches.outputs; o++)
        for (int n = 0; n < e->count; n++) s->tokens[(size_t)o * (size_t)e->stride + (size_t)n] += s->bias[o];
    add_positions(s, e);
}

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
