#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"

/// softmax: importance[j] = sum_i exp(s_ij) / sum_j exp(s_ij), s_ij = scale q_i.k_j.
///
/// A car's picture is mostly uniform: of 529 patches about 283 differ. Equal columns have equal scores, so the sums run
/// over the distinct ones with their counts, which is exact and leaves a quarter of the work.

typedef struct parts
{
    sac_distinct same;
    float *queries, *keys, *weights, *importance, *rows;
} parts;

static size_t split(parts *p, const sac_attention *a, int n, unsigned char *workspace)
{
    unsigned char *at = workspace;
    size_t stride = (size_t)sac_round_up(n), size = (size_t)a->key_size;
    p->same.group = sac_take(&at, stride, sizeof(int32_t));
    p->same.first = sac_take(&at, stride, sizeof(int32_t));
    p->same.number = sac_take(&at, stride, sizeof(int32_t));
    p->same.hash = sac_take(&at, stride, sizeof(uint32_t));
    p->same.table = sac_take(&at, sac_distinct_table_size(n), sizeof(int32_t));
    p->queries = sac_take(&at, stride * size, sizeof(float));
    p->keys = sac_take(&at, stride * size, sizeof(float));
    p->weights = sac_take(&at, stride, sizeof(float));
    p->importance = sac_take(&at, stride, sizeof(float));
    p->rows = sac_take(&at, stride * SAC_ROW_BLOCK, sizeof(float));
    return (size_t)(at - workspace);
}

static size_t workspace_size(const sac_attention *a, int n)
{
    static unsigned char start[1];
    parts p;
    return split(&p, a, n, start);
}

// factor of q.k in the exponent of 2
static float log2_scale(const sac_attention *a)
{
    return (float)(a->scale * 1.4426950408889634);
}

// the distinct columns side by side, the last one repeated to fill whole lanes
static void gather(float *out, const float *x, const int32_t *first, int count, int size, int stride, float factor)
{
    int own = sac_round_up(count);
    for (int d = 0; d < size; d++, out += own, x += stride)
    {
        for (int i = 0; i < count; i++) out[i] = x[first[i]] * factor;
        for (int i = count; i < own; i++) out[i] = out[count - 1];
    }
}

static void importance(const sac_attention *a, float *out, const float *queries, const float *keys, int n, int stride,
                       void *workspace)
{
    parts p;
    split(&p, a, n, workspace);
    int count = sac_find_distinct(&p.same, &a->kernels, queries, keys, a->key_size, n, stride);
    int own = sac_round_up(count);
    gather(p.queries, queries, p.same.first, count, a->key_size, stride, log2_scale(a));
    gather(p.keys, keys, p.same.first, count, a->key_size, stride, 1);
    for (int i = 0; i < own; i++) p.weights[i] = i < count ? (float)p.same.number[i] : 0;
    a->kernels.softmax_importance(p.importance, p.queries, p.keys, p.weights, a->key_size, count, own, p.rows);
    for (int i = 0; i < n; i++) out[i] = p.importance[p.same.group[i]];
}

static void row(const sac_attention *a, float *weights, int i, const float *queries, const float *keys, int n,
                int stride, void *workspace)
{
    (void)workspace;
    float scale = log2_scale(a), largest = -INFINITY;
    for (int j = 0; j < n; j++)
    {
        float s = 0;
        for (int d = 0; d < a->key_size; d++) s += queries[d * stride + i] * scale * keys[d * stride + j];
        weights[j] = s;
        if (s > largest) largest = s;
    }
    for (int j = 0; j < n; j++) weights[j] -= largest;
    a->kernels.exp2(weights, weights, n);
    double sum = 0;
    for (int j = 0; j < n; j++) sum += (double)weights[j];
    for (int j = 0; j < n; j++) weights[j] = (float)((double)weights[j] / sum);
}

const sac_attention_form sac_attention_softmax = {
    .name = "softmax",
    .summary = "exact softmax over the keys; time grows with the square of the distinct tokens",
    .workspace_size = workspace_size,
    .importance = importance,
    .row = row,
};
