#include <math.h>
#include <string.h>

#include "base/level.h"
#include "policy/point_cloud/loops.h"
#include "policy/point_cloud/pct.h"
#include "saccade/tokens.h"

// From a cloud to a grasp.

sac_pct_block sac_pct_block_at(const sac_pct *pct, int layer)
{
    const size_t l = (size_t)layer, w = (size_t)pct->config.width, u = (size_t)pct->config.units;
    const sac_pct_block *b = &pct->blocks;
    return (sac_pct_block){.mix = b->mix + l * 3 * w * w,
                           .out = {b->out.bias + l * w, b->out.weight + l * w * w},
                           .middle = {b->middle.gain + l * w, b->middle.shift + l * w},
                           .up = {b->up.bias + l * u, b->up.weight + l * u * w},
                           .down = {b->down.bias + l * w, b->down.weight + l * w * u},
                           .last = {b->last.gain + l * w, b->last.shift + l * w}};
}

// Places in units of the option; 1 leaves every bit as it is.
static void scale(float *numbers, int count, double unit)
{
    const float factor = (float)(1 / unit);
    for (int i = 0; i < count; i++) numbers[i] *= factor;
}

// The points of a cloud about a centre (NULL: the origin), in units of the option.
static int read_points(const sac_pct *pct, float *points, int stride, const sac_cloud *cloud, const float *center)
{
    const int count = sac_cloud_tokens(points, stride, cloud, center);
    for (int i = 0; i < 3; i++) scale(points + (ptrdiff_t)i * stride, count, pct->config.unit);
    return count;
}

int sac_pct_read(const sac_pct *pct, const sac_policy *policy, float *points, int stride, float *told,
                 const void *const *inputs)
{
    const sac_cloud cloud = {inputs[policy->image], pct->points, 0, 3 * sizeof(float)};
    const bool center = pct->config.center;
    if (center)
    {
        sac_cloud_center(told, &cloud);
        sac_cloud_axis(told + 3, &cloud);
    }
    sac_actor_tell_vectors(told + (center ? SAC_PCT_CENTER : 0), &policy->def, inputs);
    const int count = read_points(pct, points, stride, &cloud, center ? told : NULL);
    if (center) scale(told, 3, pct->config.unit);
    return count;
}

void sac_pct_lean(const sac_pct *pct, float *approach, const float *raw)
{
    for (int i = 0; i < 3; i++) approach[i] = raw[3 + i] - (i == 2 ? (float)pct->config.down : 0);
}

void sac_pct_finish(const sac_pct *pct, const sac_kernels *kernels, float *grasp, const float *raw)
{
    float a[3];
    sac_pct_lean(pct, a, raw);
    const float length = sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++)
    {
        grasp[i] = (float)pct->config.tip_unit * raw[i];
        grasp[3 + i] = length > 0 ? a[i] / length : 0;
    }
    kernels->tanh(grasp + 6, raw + 6, 1);
    grasp[6] *= 3.14159265f;
}

// out [rows, stride] = W x, to which a bias is added where it is read
static void multiply(const sac_pct_state *s, float *out, size_t weight, int rows, const float *x, int size)
{
    s->pct->kernels.mix(out, s->pct->stride, s->parameters + weight, size, rows, x, size, s->count, s->pct->stride);
}

static void norm(const sac_pct_state *s, const float *more, size_t bias, const sac_pct_norm *n)
{
    const int width = s->pct->config.width;
    for (int w = 0; w < width; w++) s->gain[w] = 1 + s->parameters[n->gain + (size_t)w];
    SAC_AT_LEVEL(&sac_pct_loops)
        ->norm(s->x, more, s->parameters + bias, s->gain, s->parameters + n->shift, SAC_PCT_LEAST_VARIANCE, width,
               s->count, s->pct->stride);
}

// @param[out] received  [count] how much attention each point receives; NULL: not wanted
static void run_layer(const sac_pct_state *s, const sac_pct_block *b, float *received)
{
    const sac_pct *pct = s->pct;
    const int width = pct->config.width, units = pct->config.units, stride = pct->stride, count = s->count;
    const float *keys = s->mixed + (ptrdiff_t)width * stride, *values = keys + (ptrdiff_t)width * stride;
    multiply(s, s->mixed, b->mix, 3 * width, s->x, width);
    if (received) sac_attention_importance(pct->attention, received, s->mixed, keys, count, stride, s->workspace);
    sac_attention_output(pct->attention, s->gathered, stride, s->mixed, count, stride, keys, values, count, stride,
                         width, s->workspace);
    multiply(s, s->mixed, b->out.weight, width, s->gathered, width);
    norm(s, s->mixed, b->out.bias, &b->middle);
    multiply(s, s->units, b->up.weight, units, s->x, width);
    SAC_AT_LEVEL(&sac_pct_loops)->bias(s->units, s->parameters + b->up.bias, true, units, count, stride);
    multiply(s, s->mixed, b->down.weight, width, s->units, units);
    norm(s, s->mixed, b->down.bias, &b->last);
}

static void embed(const sac_pct_state *s, const float *points)
{
    const sac_pct *pct = s->pct;
    const sac_pct_loops *loops = SAC_AT_LEVEL(&sac_pct_loops);
    const int width = pct->config.width;
    multiply(s, s->gathered, pct->near.weight, width, points, 3);
    loops->bias(s->gathered, s->parameters + pct->near.bias, true, width, s->count, pct->stride);
    multiply(s, s->x, pct->embed.weight, width, s->gathered, width);
    loops->bias(s->x, s->parameters + pct->embed.bias, true, width, s->count, pct->stride);
}

void sac_pct_run(sac_pct_state *s, const void *const *inputs)
{
    const sac_pct *pct = s->pct;
    const int width = pct->config.width, hidden = pct->config.hidden;
    // the place of queries is free until the points are embedded
    s->count = sac_pct_read(pct, s->base.policy, s->mixed, pct->stride, s->pooled + (ptrdiff_t)2 * width, inputs);
    if (s->count > 0) embed(s, s->mixed);
    for (int l = 0; s->count > 0 && l < pct->config.layers; l++)
    {
        const sac_pct_block block = sac_pct_block_at(pct, l);
        run_layer(s, &block, NULL);
    }
    SAC_AT_LEVEL(&sac_pct_loops)->pool(s->pooled, s->pooled + width, s->x, width, s->count, pct->stride);
    pct->kernels.dense(s->hidden, s->parameters + pct->head.weight, s->parameters + pct->head.bias, s->pooled, hidden,
                       2 * width + pct->told);
    pct->kernels.tanh(s->hidden, s->hidden, hidden);
    pct->kernels.dense(s->raw, s->parameters + pct->grasp.weight, s->parameters + pct->grasp.bias, s->hidden,
                       SAC_PCT_OUTPUTS, hidden);
    sac_pct_finish(pct, &pct->kernels, s->output, s->raw);
}

// Adds what the points received in a layer to the rows of the cloud that they stand in.
static void add_received(const sac_pct_state *s)
{
    int point = 0;
    for (int row = 0; row < s->pct->points && point < s->count; row++)
    {
        const float *p = s->cloud + (ptrdiff_t)3 * row;
        if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]))
            s->importance[row] += s->received[point++] / (float)s->pct->config.layers;
    }
}

void sac_pct_look_back(sac_pct_state *s)
{
    const sac_pct *pct = s->pct;
    const sac_cloud cloud = {s->cloud, pct->points, 0, 3 * sizeof(float)};
    float center[3];
    memset(s->importance, 0, (size_t)pct->points * sizeof *s->importance);
    if (s->count == 0) return; // also before it has looked at anything
    sac_cloud_center(center, &cloud);
    read_points(pct, s->mixed, pct->stride, &cloud, pct->config.center ? center : NULL);
    embed(s, s->mixed);
    for (int l = 0; l < pct->config.layers; l++)
    {
        const sac_pct_block block = sac_pct_block_at(pct, l);
        run_layer(s, &block, s->received);
        add_received(s);
    }
}
