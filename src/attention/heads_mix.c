#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "attention/heads.h"
#include "base/error.h"

/// What heads read: logits, rows of attention, mixtures of pixels, and whole layers.

// scratch of one head: a plane (the columns' pass, or a query's weights), a query's window, its sums
typedef struct scratch
{
    float *plane;
    int *first, *count;
    float *sums;
} scratch;

static scratch take_scratch(const sac_heads *heads, int channels, unsigned char **workspace)
{
    size_t pixels = (size_t)heads->height * (size_t)heads->width;
    scratch s;
    s.plane = sac_take(workspace, pixels, sizeof(float));
    s.first = sac_take(workspace, (size_t)heads->height, sizeof(int));
    s.count = sac_take(workspace, (size_t)heads->height, sizeof(int));
    s.sums = sac_take(workspace, (size_t)channels + 1, sizeof(float));
    return s;
}

// of a layer: mixed or projected planes, and what a head adds to the outputs
static float *take_planes(const sac_heads *heads, int channels, unsigned char **workspace)
{
    return sac_take(workspace, (size_t)channels * (size_t)sac_round_up(heads->height * heads->width), sizeof(float));
}

size_t sac_heads_workspace_size(const sac_heads *heads, int channels)
{
    static unsigned char start[1];
    unsigned char *at = start;
    take_scratch(heads, channels, &at);
    take_planes(heads, channels, &at);
    take_planes(heads, channels, &at);
    return (size_t)(at - start);
}

void sac_heads_logits(const sac_heads *heads, int head, float *logits, int query)
{
    SAC_ASSERT(head >= 0 && head < heads->count && query >= 0 && query < heads->height * heads->width);
    const sac_head *h = &heads->plans[head].head;
    const double *s = h->precision;
    for (int j = 0; j < heads->height * heads->width; j++)
    {
        double x1 = query / heads->width - j / heads->width - h->target[0];
        double x2 = query % heads->width - j % heads->width - h->target[1];
        double cross = s[1] == 0 ? 0 : 2 * s[1] * x1 * x2;
        // infinity times the square of nothing is nothing
        double square = (x1 == 0 ? 0 : s[0] * x1 * x1) + (x2 == 0 ? 0 : s[2] * x2 * x2);
        logits[j] = (float)(-0.5 * (square + cross));
    }
}

static void separable_row(const sac_heads *heads, const sac_head_plan *plan, float *weights, int query)
{
    int y = query / heads->width, x = query % heads->width;
    const float *rows = plan->rows.weights + plan->rows.start[y];
    const float *columns = plan->columns.weights + plan->columns.start[x];
    for (int r = 0; r < plan->rows.count[y]; r++)
        for (int c = 0; c < plan->columns.count[x]; c++)
            weights[(plan->rows.first[y] + r) * heads->width + plan->columns.first[x] + c] = rows[r] * columns[c];
}

void sac_heads_row(const sac_heads *heads, int head, float *weights, int query, void *workspace)
{
    SAC_ASSERT(head >= 0 && head < heads->count && query >= 0 && query < heads->height * heads->width);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    const sac_head_plan *plan = &heads->plans[head];
    memset(weights, 0, (size_t)heads->height * (size_t)heads->width * sizeof *weights);
    if (sac_head_is_separable(&plan->head))
    {
        separable_row(heads, plan, weights, query);
        return;
    }
    unsigned char *at = workspace;
    scratch s = take_scratch(heads, 0, &at);
    int total = sac_heads_window(heads, &plan->head, query, s.plane, s.first, s.count);
    float sum = 0;
    heads->kernels.contract(&sum, 1, NULL, 0, 1, s.plane, 1, total, total);
    for (int r = 0, done = 0; r < heads->height; r++)
        for (int i = 0; i < s.count[r]; i++) weights[r * heads->width + s.first[r] + i] = s.plane[done++] / sum;
}

// a blur along the columns, then one along the rows
static void mix_separable(const sac_heads *heads, const sac_head_plan *plan, float *out, const float *plane,
                          float *blurred)
{
    int width = heads->width;
    for (int x = 0, b = 0; x < width; x += SAC_LANES, b++)
        heads->kernels.mix(blurred + x, width, plane + plan->block_first[b], width, heads->height,
                           plan->blocks + plan->block_start[b], plan->block_span[b],
                           width - x < SAC_LANES ? width - x : SAC_LANES, SAC_LANES);
    const sac_band *rows = &plan->rows;
    for (int y = 0; y < heads->height; y++)
        heads->kernels.mix(out + (size_t)y * (size_t)width, width, rows->weights + rows->start[y], rows->count[y], 1,
                           blurred + (size_t)rows->first[y] * (size_t)width, rows->count[y], width, width);
}

// one query after the other, each with its own window
static void mix_general(const sac_heads *heads, const sac_head_plan *plan, float *out, int out_stride,
                        const float *values, int channels, int stride, const scratch *s)
{
    for (int i = 0; i < heads->height * heads->width; i++)
    {
        int total = sac_heads_window(heads, &plan->head, i, s->plane, s->first, s->count);
        memset(s->sums, 0, ((size_t)channels + 1) * sizeof *s->sums);
        heads->kernels.contract(s->sums + channels, 1, NULL, 0, 1, s->plane, 1, total, total);
        const float *weights = s->plane;
        for (int r = 0; r < heads->height; weights += s->count[r++])
            if (s->count[r] > 0)
                heads->kernels.contract(s->sums, channels, weights, 0, 1,
                                        values + (size_t)r * (size_t)heads->width + s->first[r], channels, s->count[r],
                                        stride);
        for (int c = 0; c < channels; c++)
            out[(size_t)c * (size_t)out_stride + (size_t)i] = s->sums[c] / s->sums[channels];
    }
}

static void mix(const sac_heads *heads, const sac_head_plan *plan, float *out, int out_stride, const float *values,
                int channels, int stride, const scratch *s)
{
    if (!sac_head_is_separable(&plan->head))
        mix_general(heads, plan, out, out_stride, values, channels, stride, s);
    else
        for (size_t c = 0; c < (size_t)channels; c++)
            mix_separable(heads, plan, out + c * (size_t)out_stride, values + c * (size_t)stride, s->plane);
}

void sac_heads_mix(const sac_heads *heads, int head, float *out, int out_stride, const float *values, int channels,
                   int stride, void *workspace)
{
    int pixels = heads->height * heads->width;
    SAC_ASSERT(head >= 0 && head < heads->count && channels >= 0 && out_stride >= pixels && stride >= pixels);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    (void)pixels;
    unsigned char *at = workspace;
    scratch s = take_scratch(heads, channels, &at);
    mix(heads, &heads->plans[head], out, out_stride, values, channels, stride, &s);
}

// out [outputs] = weights [channels, outputs]^T x [channels], one output after the other
static void project(const sac_heads *heads, float *out, int outputs, int out_stride, const float *x, int channels,
                    int stride, const float *weights, float *column)
{
    for (int o = 0; o < outputs; o++)
    {
        for (int c = 0; c < channels; c++) column[c] = weights[c * outputs + o];
        heads->kernels.mix(out + (size_t)o * (size_t)out_stride, out_stride, column, channels, 1, x, channels,
                           heads->height * heads->width, stride);
    }
}

void sac_heads_layer(const sac_heads *heads, float *out, int outputs, int out_stride, const float *x, int channels,
                     int stride, const float *weights, const float *bias, void *workspace)
{
    int pixels = heads->height * heads->width, own = sac_round_up(pixels);
    int most = channels > outputs ? channels : outputs, least = channels < outputs ? channels : outputs;
    SAC_ASSERT(channels >= 1 && outputs >= 1 && stride >= pixels && out_stride >= pixels);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    unsigned char *at = workspace;
    scratch s = take_scratch(heads, most, &at);
    float *planes = take_planes(heads, least, &at), *sums = take_planes(heads, outputs, &at);
    for (int o = 0; o < outputs; o++)
        for (int i = 0; i < pixels; i++) out[(size_t)o * (size_t)out_stride + (size_t)i] = bias ? bias[o] : 0;
    for (int h = 0; h < heads->count; h++, weights += channels * outputs)
    {
        const sac_head_plan *plan = &heads->plans[h];
        // A (x W) = (A x) W: mix whichever is fewer
        if (channels <= outputs)
        {
            mix(heads, plan, planes, own, x, channels, stride, &s);
            project(heads, sums, outputs, own, planes, channels, own, weights, s.sums);
        }
        else
        {
            project(heads, planes, outputs, own, x, channels, stride, weights, s.sums);
            mix(heads, plan, sums, own, planes, outputs, own, &s);
        }
        for (int o = 0; o < outputs; o++)
            for (int i = 0; i < pixels; i++)
                out[(size_t)o * (size_t)out_stride + (size_t)i] += sums[(size_t)o * (size_t)own + (size_t)i];
    }
}
