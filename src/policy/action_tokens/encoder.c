#include <math.h>
#include <string.h>

#include "policy/action_tokens/rt.h"

// From the tokens of a frame to what the decoder keeps of it.

// (x - mean) / sqrt(variance + SAC_RT_LEAST_VARIANCE) of each column, times 1 + gain. Sums run over the rows in their
// order.
void sac_rt_norm(const sac_rt_state *s, float *out, const float *x, size_t gain, int count, int stride)
{
    const int width = s->rt->config.width;
    const float share = 1 / (float)width;
    for (int first = 0; first < count; first += SAC_LANES)
    {
        const int left = count - first < SAC_LANES ? count - first : SAC_LANES;
        float mean[SAC_LANES] = {0}, square[SAC_LANES] = {0};
        for (int w = 0; w < width; w++)
            for (int i = 0; i < left; i++) mean[i] += x[(ptrdiff_t)w * stride + first + i];
        for (int i = 0; i < left; i++) mean[i] *= share;
        for (int w = 0; w < width; w++)
            for (int i = 0; i < left; i++)
            {
                const float apart = x[(ptrdiff_t)w * stride + first + i] - mean[i];
                square[i] += apart * apart;
            }
        for (int i = 0; i < left; i++) square[i] = 1 / sqrtf(square[i] * share + SAC_RT_LEAST_VARIANCE);
        for (int w = 0; w < width; w++)
        {
            const float factor = 1 + s->parameters[gain + (size_t)w];
            for (int i = 0; i < left; i++)
                out[(ptrdiff_t)w * stride + first + i] =
                    (x[(ptrdiff_t)w * stride + first + i] - mean[i]) * square[i] * factor;
        }
    }
}

void sac_rt_layer(const sac_rt_state *s, float *out, sac_layer layer, int rows, const float *x, int size, int count,
                  int stride)
{
    s->rt->kernels.mix(out, stride, s->parameters + layer.weight, size, rows, x, size, count, stride);
    for (int r = 0; r < rows; r++)
    {
        const float bias = s->parameters[layer.bias + (size_t)r];
        for (int i = 0; i < count; i++) out[(ptrdiff_t)r * stride + i] += bias;
    }
}

static void add(float *x, const float *more, int rows, int count, int stride)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < count; i++) x[(ptrdiff_t)r * stride + i] += more[(ptrdiff_t)r * stride + i];
}

void sac_rt_mlp(sac_rt_state *s, float *x, const sac_rt_block *block, int count, int stride)
{
    const int width = s->rt->config.width, units = s->rt->config.units;
    sac_rt_norm(s, s->normed, x, block->middle_norm, count, stride);
    sac_rt_layer(s, s->units, block->up, units, s->normed, width, count, stride);
    for (int u = 0; u < units; u++)
        for (int i = 0; i < count; i++)
        {
            float *unit = &s->units[(ptrdiff_t)u * stride + i];
            *unit = *unit > 0 ? *unit : 0;
        }
    sac_rt_layer(s, s->normed, block->down, width, s->units, units, count, stride);
    add(x, s->normed, width, count, stride);
}

sac_rt_block sac_rt_block_at(const sac_rt *rt, int layer)
{
    const size_t l = (size_t)layer, w = (size_t)rt->config.width, u = (size_t)rt->config.units;
    const sac_rt_block *b = &rt->encoder;
    return (sac_rt_block){.norm = b->norm + l * w,
                          .middle_norm = b->middle_norm + l * w,
                          .mix = {b->mix.bias + l * 3 * w, b->mix.weight + l * 3 * w * w},
                          .out = {b->out.bias + l * w, b->out.weight + l * w * w},
                          .up = {b->up.bias + l * u, b->up.weight + l * u * w},
                          .down = {b->down.bias + l * w, b->down.weight + l * w * u}};
}

// Attention of each head among the tokens of the frame.
static void attend(sac_rt_state *s, int count, int stride)
{
    const sac_rt *rt = s->rt;
    const int d = rt->head_size, width = rt->config.width;
    for (int h = 0; h < rt->config.heads; h++)
    {
        const float *queries = s->mixed + (ptrdiff_t)h * d * stride;
        const float *keys = queries + (ptrdiff_t)width * stride, *values = keys + (ptrdiff_t)width * stride;
        sac_attention_output(rt->attention, s->gathered + (ptrdiff_t)h * d * stride, stride, queries, count, stride,
                             keys, values, count, stride, d, s->workspace);
    }
}

static void run_block(sac_rt_state *s, float *x, const sac_rt_block *block, int count, int stride)
{
    const int width = s->rt->config.width;
    sac_rt_norm(s, s->normed, x, block->norm, count, stride);
    sac_rt_layer(s, s->mixed, block->mix, 3 * width, s->normed, width, count, stride);
    attend(s, count, stride);
    sac_rt_layer(s, s->normed, block->out, width, s->gathered, width, count, stride);
    add(x, s->normed, width, count, stride);
    sac_rt_mlp(s, x, block, count, stride);
}

int sac_rt_place(const sac_rt_state *s, int age)
{
    const int history = s->rt->config.history;
    return (s->newest - age + history) % history;
}

// The sums of a linear form over a frame's tokens: phi(k) v^T, and phi(k) alone in the last row.
static void sum_frame(sac_rt_state *s, const float *keys, const float *values, int count, int stride)
{
    const sac_rt *rt = s->rt;
    const int d = rt->head_size, f = rt->features;
    const size_t one = (size_t)(d + 1) * (size_t)f;
    for (int h = 0; h < rt->config.heads; h++)
    {
        float *sums = s->memory_sums + ((size_t)s->newest * (size_t)rt->config.heads + (size_t)h) * one;
        memset(sums, 0, one * sizeof *sums);
        sac_attention_features(rt->attention, SAC_KEYS, s->features, stride, keys + (ptrdiff_t)h * d * stride, count,
                               stride, s->workspace);
        rt->kernels.contract(sums, f, values + (ptrdiff_t)h * d * stride, stride, d, s->features, f, count, stride);
        rt->kernels.contract(sums + (ptrdiff_t)d * f, f, NULL, 0, 1, s->features, f, count, stride);
    }
}

// Keys and values of the frame take the place of the oldest one.
static void keep_frame(sac_rt_state *s, int count, int stride)
{
    const sac_rt *rt = s->rt;
    const int width = rt->config.width, history = rt->config.history;
    const size_t half = (size_t)width * (size_t)stride;
    s->newest = (s->newest + 1) % history;
    if (s->frames < history) s->frames++;
    float *keys = rt->features ? s->mixed : s->memory + (size_t)s->newest * 2 * half;
    sac_rt_layer(s, keys, rt->memory, 2 * width, s->normed, width, count, stride);
    if (!rt->features) return;
    sum_frame(s, keys, keys + half, count, stride);
    memcpy(s->seen_keys, keys, half * sizeof *keys);
}

void sac_rt_encode(sac_rt_state *s)
{
    const sac_rt *rt = s->rt;
    const int count = rt->embedding.count, stride = rt->embedding.token_stride;
    float *x = s->embedding.tokens;
    for (int l = 0; l < rt->config.layers; l++)
    {
        const sac_rt_block block = sac_rt_block_at(rt, l);
        run_block(s, x, &block, count, stride);
    }
    sac_rt_norm(s, s->normed, x, rt->frame_norm, count, stride);
    keep_frame(s, count, stride);
}
