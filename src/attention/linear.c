#include <math.h>
#include <string.h>

#include "attention/form.h"

/// Every reading of a linear form from its map phi, A_ij = phi(q_i).phi(k_j):
///
///     importance[j] = (1/N) phi(k_j).z    z = sum_i phi(q_i)
///     out[i] = phi(q_i) S / phi(q_i).z    S = sum_j phi(k_j)^T v_j    z = sum_j phi(k_j)
///
/// Two passes over blocks of tokens whose features stay in the second cache. Maps with fused kernels never write
/// features out.

enum
{
    BLOCK_FLOATS = 32768, ///< of features, 128 KiB
    MAX_BLOCK = 512,      ///< tokens
};

static int block_size(const sac_attention *a)
{
    int tokens = BLOCK_FLOATS / a->feature_size / SAC_LANES * SAC_LANES;
    return tokens < SAC_LANES ? SAC_LANES : tokens > MAX_BLOCK ? MAX_BLOCK : tokens;
}

size_t sac_linear_split(sac_linear_parts *p, const sac_attention *a, int value_size, unsigned char *workspace)
{
    unsigned char *at = workspace;
    size_t f = (size_t)a->feature_size, v = (size_t)value_size, block = (size_t)block_size(a);
    p->tokens = sac_take(&at, a->normalize ? (size_t)a->key_size * block : 0, sizeof(float));
    p->features = sac_take(&at, f * block, sizeof(float));
    p->lanes = sac_take(&at, f * SAC_LANES, sizeof(float));
    p->sums = sac_take(&at, f, sizeof(float));
    p->products = sac_take(&at, f * v, sizeof(float));
    p->divisors = sac_take(&at, v ? block : 0, sizeof(float));
    return (size_t)(at - workspace);
}

size_t sac_linear_workspace_size(const sac_attention *a, int n)
{
    return sac_linear_output_workspace_size(a, n, 0);
}

size_t sac_linear_output_workspace_size(const sac_attention *a, int n, int value_size)
{
    (void)n;
    static unsigned char start[1];
    sac_linear_parts p;
    return sac_linear_split(&p, a, value_size, start);
}

// a block of tokens as the map wants them
typedef struct tokens
{
    const float *x;
    int count, stride;
} tokens;

static tokens block_at(const sac_attention *a, const sac_linear_parts *p, const float *x, int first, int n, int stride,
                       int size)
{
    tokens t = {x + first, n - first < size ? n - first : size, stride};
    if (!a->normalize) return t;
    a->kernels.normalize(p->tokens, size, t.x, a->key_size, t.count, stride);
    return (tokens){p->tokens, t.count, size};
}

// fused kernels need no blocks but those that are normalised
static int fused_block(const sac_attention *a, int n)
{
    return a->normalize ? block_size(a) : n;
}

void sac_linear_start(const sac_attention *a, const sac_linear_parts *p)
{
    size_t f = (size_t)a->feature_size;
    memset(p->lanes, 0, f * SAC_LANES * sizeof(float));
    memset(p->sums, 0, f * sizeof(float));
}

void sac_linear_add(const sac_attention *a, const sac_linear_parts *p, sac_attention_side side, const float *x, int n,
                    int stride)
{
    int f = a->feature_size, block = a->map_sums ? fused_block(a, n) : block_size(a);
    for (int i = 0; i < n; i += block)
    {
        tokens t = block_at(a, p, x, i, n, stride, block);
        if (a->map_sums)
        {
            a->map_sums(p->lanes, t.x, t.count, t.stride, &a->features[side]);
            continue;
        }
        a->map(p->features, block, t.x, t.count, t.stride, &a->features[side]);
        a->kernels.contract(p->sums, f, NULL, 0, 1, p->features, f, t.count, block);
    }
}

// gains of both sides and a factor
static void apply_gains(const sac_attention *a, float *sums, double factor)
{
    for (int f = 0; f < a->feature_size; f++)
        sums[f] = (float)(sums[f] * (a->gains[SAC_QUERIES][f] * a->gains[SAC_KEYS][f] * factor));
}

void sac_linear_finish(const sac_attention *a, const sac_linear_parts *p, double factor)
{
    if (a->map_sums) sac_sum_lanes(p->sums, p->lanes, a->feature_size);
    apply_gains(a, p->sums, factor);
}

void sac_linear_score(const sac_attention *a, const sac_linear_parts *p, sac_attention_side side, float *scores,
                      const float *x, int n, int stride)
{
    int f = a->feature_size, block = a->map_scores ? fused_block(a, n) : block_size(a);
    for (int i = 0; i < n; i += block)
    {
        tokens t = block_at(a, p, x, i, n, stride, block);
        if (a->map_scores)
        {
            a->map_scores(scores + i, p->sums, t.x, t.count, t.stride, &a->features[side]);
            continue;
        }
        a->map(p->features, block, t.x, t.count, t.stride, &a->features[side]);
        a->kernels.mix(scores + i, 0, p->sums, f, 1, p->features, f, t.count, block);
    }
}

void sac_linear_importance(const sac_attention *a, float *importance, const float *queries, const float *keys, int n,
                           int stride, void *workspace)
{
    sac_linear_parts p;
    sac_linear_split(&p, a, 0, workspace);
    sac_linear_start(a, &p);
    sac_linear_add(a, &p, SAC_QUERIES, queries, n, stride);
    sac_linear_finish(a, &p, 1.0 / n);
    sac_linear_score(a, &p, SAC_KEYS, importance, keys, n, stride);
}

void sac_linear_row(const sac_attention *a, float *weights, int row, const float *queries, const float *keys, int n,
                    int stride, void *workspace)
{
    sac_linear_parts p;
    sac_linear_split(&p, a, 0, workspace);
    sac_linear_start(a, &p);
    sac_linear_add(a, &p, SAC_QUERIES, queries + row, 1, stride);
    sac_linear_finish(a, &p, 1);
    sac_linear_score(a, &p, SAC_KEYS, weights, keys, n, stride);
}

void sac_linear_features(const sac_attention *a, sac_attention_side side, float *features, int features_stride,
                         const float *x, int n, int stride, void *workspace)
{
    sac_linear_parts p;
    sac_linear_split(&p, a, 0, workspace);
    int block = block_size(a);
    for (int i = 0; i < n; i += block)
    {
        tokens t = block_at(a, &p, x, i, n, stride, block);
        a->map(p.features, block, t.x, t.count, t.stride, &a->features[side]);
        for (int f = 0; f < a->feature_size; f++)
        {
            float *out = features + (size_t)f * (size_t)features_stride + i, gain = (float)a->gains[side][f];
            for (int j = 0; j < t.count; j++) out[j] = p.features[f * block + j] * gain;
        }
    }
}

// z and S of the keys, with the gains of both sides
static void sum_products(const sac_attention *a, const sac_linear_parts *p, const float *keys, int n, int stride,
                         const float *values, int values_stride, int value_size)
{
    int f = a->feature_size, block = block_size(a);
    memset(p->sums, 0, (size_t)f * sizeof(float));
    memset(p->products, 0, (size_t)f * (size_t)value_size * sizeof(float));
    for (int i = 0; i < n; i += block)
    {
        tokens t = block_at(a, p, keys, i, n, stride, block);
        a->map(p->features, block, t.x, t.count, t.stride, &a->features[SAC_KEYS]);
        if (a->divide) a->kernels.contract(p->sums, f, NULL, 0, 1, p->features, f, t.count, block);
        a->kernels.contract(p->products, f, values + i, values_stride, value_size, p->features, f, t.count, block);
    }
    apply_gains(a, p->sums, 1);
    for (int v = 0; v < value_size; v++) apply_gains(a, p->products + (size_t)v * (size_t)f, 1);
}

void sac_linear_output(const sac_attention *a, float *out, int out_stride, const float *queries, int query_count,
                       int query_stride, const float *keys, int key_count, int key_stride, const float *values,
                       int values_stride, int value_size, void *workspace)
{
    sac_linear_parts p;
    sac_linear_split(&p, a, value_size, workspace);
    int f = a->feature_size, block = block_size(a);
    sum_products(a, &p, keys, key_count, key_stride, values, values_stride, value_size);
    for (int i = 0; i < query_count; i += block)
    {
        tokens t = block_at(a, &p, queries, i, query_count, query_stride, block);
        a->map(p.features, block, t.x, t.count, t.stride, &a->features[SAC_QUERIES]);
        a->kernels.mix(out + i, out_stride, p.products, f, value_size, p.features, f, t.count, block);
        if (!a->divide) continue;
        a->kernels.mix(p.divisors, 0, p.sums, f, 1, p.features, f, t.count, block);
        a->kernels.divide_rows(out + i, out_stride, value_size, p.divisors, (float)a->epsilon, t.count);
    }
}
