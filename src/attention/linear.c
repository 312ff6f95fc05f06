#include <math.h>
#include <string.h>

#include "attention/blocks.h"

/// Every reading of a linear form from its map phi, A_ij = phi(q_i).phi(k_j):
///
///     importance[j] = (1/N) phi(k_j).z    z = sum_i phi(q_i)
///     out[i] = phi(q_i) S / phi(q_i).z    S = sum_j phi(k_j)^T v_j    z = sum_j phi(k_j)
///
/// Two passes over blocks of tokens whose features stay in the second cache. Maps with fused kernels never write
/// features out.

void sac_linear_split(sac_linear_parts *p, const sac_attention *a, int value_size, sac_workspace *workspace)
{
    size_t f = (size_t)a->feature_size, v = (size_t)value_size;
    sac_block_take(&p->block, a, SAC_BLOCK_SMALL, workspace);
    p->lanes = sac_take(workspace, f * SAC_LANES, sizeof(float));
    p->sums = sac_take(workspace, f, sizeof(float));
    p->key_sums = sac_take(workspace, a->divide_all ? f : 0, sizeof(float));
    p->products = sac_take(workspace, f * v, sizeof(float));
    p->divisors = sac_take(workspace, v || a->divide_all ? (size_t)p->block.size : 0, sizeof(float));
}

size_t sac_linear_workspace_size(const sac_attention *a, int n)
{
    return sac_linear_output_workspace_size(a, n, 0);
}

size_t sac_linear_output_workspace_size(const sac_attention *a, int n, int value_size)
{
    (void)n;
    sac_workspace workspace = {0};
    sac_linear_parts p;
    sac_linear_split(&p, a, value_size, &workspace);
    return workspace.used;
}

// How many tokens a fused kernel takes at a time: all of them, unless they are normalised block by block.
static int fused_size(const sac_attention *a, const sac_block *block, int n)
{
    return a->normalise ? block->size : n;
}

void sac_linear_start(const sac_attention *a, const sac_linear_parts *p)
{
    size_t f = (size_t)a->feature_size;
    memset(p->lanes, 0, f * SAC_LANES * sizeof(float));
    memset(p->sums, 0, f * sizeof(float));
}

// Adds the features of these tokens to z. Maps with a kernel of their own add them without writing them anywhere.
void sac_linear_add(const sac_attention *a, const sac_linear_parts *p, sac_attention_side side, const float *x, int n,
                    int stride)
{
    sac_block block = p->block;
    int f = a->feature_size, size = fused_size(a, &block, n);
    for (int i = 0; a->map_sums && i < n; i += size)
    {
        sac_block_tokens t = sac_block_at(&block, a, x, i, n, stride, size);
        a->map_sums(p->lanes, t.x, t.count, t.stride, &a->features[side]);
    }
    if (a->map_sums) return;
    for (int i = 0; sac_block_read(&block, a, side, x, i, n, stride); i += block.size)
        a->kernels.contract(p->sums, f, NULL, 0, 1, block.features, f, block.count, block.size);
}

// Multiplies the sums by the gains of both sides and by a factor, once, in place of every token.
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

// phi(x).z for each token, which is one row of products for all of them.
void sac_linear_score(const sac_attention *a, const sac_linear_parts *p, sac_attention_side side, float *scores,
                      const float *x, int n, int stride)
{
    sac_block block = p->block;
    int f = a->feature_size, size = fused_size(a, &block, n);
    for (int i = 0; a->map_scores && i < n; i += size)
    {
        sac_block_tokens t = sac_block_at(&block, a, x, i, n, stride, size);
        a->map_scores(scores + i, p->sums, t.x, t.count, t.stride, &a->features[side]);
    }
    if (a->map_scores) return;
    for (int i = 0; sac_block_read(&block, a, side, x, i, n, stride); i += block.size)
        a->kernels.mix(scores + i, 0, p->sums, f, 1, block.features, f, block.count, block.size);
}

// Compute z, the sum of the features of queries, each divided by the sum of its row of A.
static void sum_divided(const sac_attention *a, const sac_linear_parts *p, const float *queries, int count,
                        const float *keys, int n, int stride)
{
    sac_block block = p->block;
    int f = a->feature_size;
    sac_block_sum_keys(&block, a, p->key_sums, keys, n, stride);
    memset(p->sums, 0, (size_t)f * sizeof(float));
    for (int i = 0; sac_block_read(&block, a, SAC_QUERIES, queries, i, count, stride); i += block.size)
    {
        sac_block_divide(&block, a, p->key_sums, p->divisors);
        a->kernels.contract(p->sums, f, NULL, 0, 1, block.features, f, block.count, block.size);
    }
    apply_gains(a, p->sums, 1);
}

// O(N F): one pass over the queries for z, one over the keys for their scores.
void sac_linear_importance(const sac_attention *a, float *importance, const float *queries, const float *keys, int n,
                           int stride, void *workspace)
{
    sac_linear_parts p;
    sac_linear_split(&p, a, 0, &(sac_workspace){.memory = workspace});
    sac_linear_start(a, &p);
    if (a->divide_all)
        sum_divided(a, &p, queries, n, keys, n, stride);
    else
    {
        sac_linear_add(a, &p, SAC_QUERIES, queries, n, stride);
        sac_linear_finish(a, &p, 1.0 / n);
    }
    sac_linear_score(a, &p, SAC_KEYS, importance, keys, n, stride);
}

void sac_linear_row(const sac_attention *a, float *weights, int row, const float *queries, const float *keys, int n,
                    int stride, void *workspace)
{
    sac_linear_parts p;
    sac_linear_split(&p, a, 0, &(sac_workspace){.memory = workspace});
    sac_linear_start(a, &p);
    if (a->divide_all)
        sum_divided(a, &p, queries + row, 1, keys, n, stride);
    else
    {
        sac_linear_add(a, &p, SAC_QUERIES, queries + row, 1, stride);
        sac_linear_finish(a, &p, 1);
    }
    sac_linear_score(a, &p, SAC_KEYS, weights, keys, n, stride);
}

// out = in gain, four numbers at a time
static void scale_row(float *restrict out, const float *restrict in, float gain, int count)
{
    int i = 0;
    for (; i + 4 <= count; i += 4)
    {
        out[i] = in[i] * gain;
        out[i + 1] = in[i + 1] * gain;
        out[i + 2] = in[i + 2] * gain;
        out[i + 3] = in[i + 3] * gain;
    }
    for (; i < count; i++) out[i] = in[i] * gain;
}

void sac_linear_features(const sac_attention *a, sac_attention_side side, float *features, int features_stride,
                         const float *x, int n, int stride, void *workspace)
{
    sac_linear_parts p;
    sac_linear_split(&p, a, 0, &(sac_workspace){.memory = workspace});
    sac_block *b = &p.block;
    for (int i = 0; sac_block_read(b, a, side, x, i, n, stride); i += b->size)
        for (int f = 0; f < a->feature_size; f++)
            scale_row(features + (size_t)f * (size_t)features_stride + i, b->features + (size_t)f * (size_t)b->size,
                      (float)a->gains[side][f], b->count);
}

// Computes z and S of the keys and applies the gains of both sides to them.
static void sum_products(const sac_attention *a, const sac_linear_parts *p, const float *keys, int n, int stride,
                         const float *values, int values_stride, int value_size)
{
    sac_block block = p->block;
    int f = a->feature_size;
    memset(p->sums, 0, (size_t)f * sizeof(float));
    memset(p->products, 0, (size_t)f * (size_t)value_size * sizeof(float));
    for (int i = 0; sac_block_read(&block, a, SAC_KEYS, keys, i, n, stride); i += block.size)
    {
        if (a->divide) a->kernels.contract(p->sums, f, NULL, 0, 1, block.features, f, block.count, block.size);
        a->kernels.contract(p->products, f, values + i, values_stride, value_size, block.features, f, block.count,
                            block.size);
    }
    apply_gains(a, p->sums, 1);
    for (int v = 0; v < value_size; v++) apply_gains(a, p->products + (size_t)v * (size_t)f, 1);
}

// O(N F V): phi(q) S and phi(q).z for a block of queries, and then their quotient.
void sac_linear_output(const sac_attention *a, float *out, int out_stride, const float *queries, int query_count,
                       int query_stride, const float *keys, int key_count, int key_stride, const float *values,
                       int values_stride, int value_size, void *workspace)
{
    sac_linear_parts p;
    sac_linear_split(&p, a, value_size, &(sac_workspace){.memory = workspace});
    sac_block *b = &p.block;
    int f = a->feature_size;
    sum_products(a, &p, keys, key_count, key_stride, values, values_stride, value_size);
    for (int i = 0; sac_block_read(b, a, SAC_QUERIES, queries, i, query_count, query_stride); i += b->size)
    {
        a->kernels.mix(out + i, out_stride, p.products, f, value_size, b->features, f, b->count, b->size);
        if (!a->divide) continue;
        a->kernels.mix(p.divisors, 0, p.sums, f, 1, b->features, f, b->count, b->size);
        a->kernels.divide_rows(out + i, out_stride, value_size, p.divisors, (float)a->epsilon, b->count);
    }
}
