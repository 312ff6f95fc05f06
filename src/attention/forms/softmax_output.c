#include <math.h>
#include <string.h>

#include "attention/forms/softmax.h"
#include "kernels/elementary.h"

/// out[i] = sum_j exp(s_ij) v_j / sum_j exp(s_ij). A tile of keys and values that fits the first caches is multiplied
/// with all queries, a few at a time, and the next tile adds to the results. Where scores may leave float's range, an
/// earlier pass finds each row's largest score.

enum
{
    TILE = 1024 ///< keys
};

typedef struct parts
{
    float *queries; ///< [SAC_ROW_BLOCK, D]
    float *rows;    ///< [SAC_ROW_BLOCK, TILE] of A
    float *gained;  ///< [SAC_ROW_BLOCK, V]
    float *sums;    ///< [n] of rows of A
    float *shift;   ///< [n] that is subtracted from each row's scores
} parts;

static void split(parts *p, const sac_attention *a, int n, int value_size, sac_workspace *workspace)
{
    size_t count = (size_t)(n + SAC_ROW_BLOCK);
    p->queries = sac_take(workspace, SAC_ROW_BLOCK * (size_t)a->key_size, sizeof(float));
    p->rows = sac_take(workspace, SAC_ROW_BLOCK * TILE, sizeof(float));
    p->gained = sac_take(workspace, SAC_ROW_BLOCK * (size_t)value_size, sizeof(float));
    p->sums = sac_take(workspace, count, sizeof(float));
    p->shift = sac_take(workspace, count, sizeof(float));
}

size_t sac_softmax_output_workspace_size(const sac_attention *a, int n, int value_size)
{
    sac_workspace workspace = {0};
    parts p;
    split(&p, a, n, value_size, &workspace);
    return workspace.used;
}

bool sac_softmax_is_near(const sac_attention *a, const float *queries, int query_count, int query_stride,
                         const float *keys, int key_count, int key_stride)
{
    float query, key;
    a->kernels.largest_square(&query, queries, a->key_size, query_count, query_stride);
    a->kernels.largest_square(&key, keys, a->key_size, key_count, key_stride);
    double factor = (double)sac_softmax_factor(a);
    return (double)query * (double)key * factor * factor < SAC_NEAR * SAC_NEAR;
}

// Place `count` queries side by side, scaled.
static void take_queries(float *out, const sac_attention *a, const float *queries, int count, int stride)
{
    float factor = sac_softmax_factor(a);
    for (int r = 0; r < count; r++)
        for (int d = 0; d < a->key_size; d++) *out++ = queries[d * stride + r] * factor;
}

// Find each row's largest score.
static void find_shifts(const parts *p, const sac_attention *a, const float *queries, int query_count, int query_stride,
                        const float *keys, int key_count, int key_stride)
{
    for (int i = 0; i < query_count; i += SAC_ROW_BLOCK)
    {
        int count = query_count - i < SAC_ROW_BLOCK ? query_count - i : SAC_ROW_BLOCK;
        take_queries(p->queries, a, queries + i, count, query_stride);
        a->kernels.largest_scores(p->shift + i, p->queries, count, keys, a->key_size, key_count, key_stride);
    }
}

// The factor of a row of A and of its sums of values, which turns exp(s - shift) into the result.
static float share_of(const sac_attention *a, float sum, float shift, double epsilon, bool near)
{
    double unit = near ? SAC_NEAR_UNIT : 1;
    if (!a->divide) return (float)unit;
    // epsilon is added to the sum of exp(s), not of exp(s - shift), so it is divided by exp(shift) as well
    double divisor = (double)sum * unit + (epsilon > 0 ? epsilon * (double)sac_exp2(-shift) : 0);
    return divisor == 0 ? 0 : (float)(unit / divisor);
}

void sac_softmax_output(const sac_attention *a, float *out, int out_stride, const float *queries, int query_count,
                        int query_stride, const float *keys, int key_count, int key_stride, const float *values,
                        int values_stride, int value_size, void *workspace)
{
    parts p;
    split(&p, a, query_count > key_count ? query_count : key_count, value_size, &(sac_workspace){.memory = workspace});
    bool near = sac_softmax_is_near(a, queries, query_count, query_stride, keys, key_count, key_stride);
    memset(p.shift, 0, (size_t)query_count * sizeof *p.shift);
    if (!near && a->divide) find_shifts(&p, a, queries, query_count, query_stride, keys, key_count, key_stride);
    memset(p.sums, 0, (size_t)query_count * sizeof *p.sums);
    for (int v = 0; v < value_size; v++) memset(out + v * out_stride, 0, (size_t)query_count * sizeof *out);

    for (int j = 0; j < key_count; j += TILE)
        for (int i = 0; i < query_count; i += SAC_ROW_BLOCK)
        {
            int tile = key_count - j < TILE ? key_count - j : TILE;
            int count = query_count - i < SAC_ROW_BLOCK ? query_count - i : SAC_ROW_BLOCK;
            float sums[SAC_ROW_BLOCK];
            take_queries(p.queries, a, queries + i, count, query_stride);
            a->kernels.softmax_rows(p.rows, sums, p.queries, near ? NULL : p.shift + i, count, keys + j, NULL,
                                    a->key_size, tile, key_stride);
            memset(p.gained, 0, (size_t)(count * value_size) * sizeof *p.gained);
            a->kernels.weigh_rows(p.gained, p.rows, count, values + j, value_size, tile, values_stride);
            for (int r = 0; r < count; r++)
            {
                p.sums[i + r] += sums[r];
                for (int v = 0; v < value_size; v++) out[v * out_stride + i + r] += p.gained[r * value_size + v];
            }
        }
    for (int i = 0; i < query_count; i++)
    {
        float share = share_of(a, p.sums[i], p.shift[i], a->epsilon, near);
        for (int v = 0; v < value_size; v++) out[v * out_stride + i] *= share;
    }
}

void sac_softmax_row(const sac_attention *a, float *weights, int row, const float *queries, const float *keys, int n,
                     int stride, void *workspace)
{
    parts p;
    split(&p, a, n, 1, &(sac_workspace){.memory = workspace});
    bool near = sac_softmax_is_near(a, queries + row, 1, stride, keys, n, stride);
    float shift = 0, sum = 0;
    take_queries(p.queries, a, queries + row, 1, stride);
    if (!near && a->divide) a->kernels.largest_scores(&shift, p.queries, 1, keys, a->key_size, n, stride);
    for (int j = 0; j < n; j += TILE)
    {
        int tile = n - j < TILE ? n - j : TILE;
        float part;
        a->kernels.softmax_rows(p.rows, &part, p.queries, near ? NULL : &shift, 1, keys + j, NULL, a->key_size, tile,
                                stride);
        memcpy(weights + j, p.rows, (size_t)tile * sizeof *weights);
        sum += part;
    }
    float share = share_of(a, sum, shift, 0, near);
    for (int j = 0; j < n; j++) weights[j] *= share;
}
