#include <math.h>
#include <string.h>

#include "attention/forms/softmax.h"
#include "kernels/elementary.h"

/// softmax: importance[j] = sum_i exp(s_ij) / sum_j exp(s_ij) with s_ij = scale q_i.k_j, a few rows of A at a time.
///
/// Where the bound |q||k| says that no score can leave float's range, the pass that computes the scores also takes
/// their exponentials. Otherwise each row's largest score is found first and subtracted.
///
/// A picture of CarRacing is mostly uniform: of 529 patches about 283 differ. Equal columns have equal scores, so the
/// sums run over the distinct columns with their counts. This is exact and leaves a quarter of the work. A picture with
/// so many distinct columns that holding them is not worth it is computed without this step.

enum
{
    QUERIES = 64,    ///< queries that are taken at a time
    PACKED = 1 << 16 ///< floats that the keys of distinct columns may take
};

typedef struct parts
{
    sac_distinct same;
    float *keys, *weights, *importance, *rows, *block;
} parts;

// How many distinct columns are held at most; a picture with more of them is computed without looking for copies.
int sac_softmax_capacity(const sac_attention *a, int n)
{
    int most = PACKED / a->key_size / SAC_LANES * SAC_LANES;
    return n < most ? n : most;
}

static void split(parts *p, const sac_attention *a, int n, sac_workspace *workspace)
{
    size_t stride = (size_t)sac_round_up(n), size = (size_t)a->key_size;
    size_t held = (size_t)sac_round_up(sac_softmax_capacity(a, n));
    p->same.run = sac_take(workspace, stride, sizeof(int32_t));
    p->same.group_of_run = sac_take(workspace, stride, sizeof(int32_t));
    p->same.run_first = sac_take(workspace, stride + 1, sizeof(int32_t));
    p->same.hash = sac_take(workspace, stride, sizeof(uint32_t));
    p->same.first = sac_take(workspace, held, sizeof(int32_t));
    p->same.number = sac_take(workspace, held, sizeof(int32_t));
    p->same.table = sac_take(workspace, sac_distinct_table_size((int)held), sizeof(int32_t));
    p->keys = sac_take(workspace, held * size, sizeof(float));
    p->weights = sac_take(workspace, held, sizeof(float));
    p->importance = sac_take(workspace, held, sizeof(float));
    p->rows = sac_take(workspace, stride * SAC_ROW_BLOCK, sizeof(float));
    p->block = sac_take(workspace, size * QUERIES, sizeof(float));
}

static size_t workspace_size(const sac_attention *a, int n)
{
    sac_workspace importance = {0};
    parts p;
    split(&p, a, n, &importance);
    size_t row = sac_softmax_output_workspace_size(a, n, 1);
    return importance.used > row ? importance.used : row;
}

/// Columns of queries and keys, which may have different strides. With `same`, the keys are the distinct columns, and
/// key j stands for weights[j] columns.
typedef struct columns
{
    const float *queries, *keys, *weights;
    const sac_distinct *same;
    int count, query_stride, key_stride;
    int total; ///< columns, copies included
    bool near; ///< no score exceeds SAC_NEAR
} columns;

// Place the next queries side by side, scaled, with how many columns each stands for. Zeros fill the last block of
// rows.
static int take_queries(float *block, float *numbers, const sac_attention *a, const columns *t, int first)
{
    float factor = sac_softmax_factor(a);
    int count = t->count - first < QUERIES ? t->count - first : QUERIES;
    int whole = (count + SAC_ROW_BLOCK - 1) / SAC_ROW_BLOCK * SAC_ROW_BLOCK;
    for (int r = 0; r < whole; r++)
    {
        bool is = r < count;
        const float *query = t->queries + (!is ? 0 : t->same ? t->same->first[first + r] : first + r);
        for (int d = 0; d < a->key_size; d++) *block++ = is ? query[d * t->query_stride] * factor : 0;
        numbers[r] = !is ? 0 : t->weights ? t->weights[first + r] : 1;
    }
    return whole;
}

// Each row's largest score is subtracted where scores may exceed SAC_NEAR. Rows that are not divided by their sums must
// all subtract the same number to stay comparable.
static void add_rows(const sac_attention *a, float *out, const float *queries, const float *numbers, int count,
                     const columns *t, float *rows)
{
    for (int i = 0; i < count; i += SAC_ROW_BLOCK, queries += SAC_ROW_BLOCK * a->key_size)
    {
        float shift[SAC_ROW_BLOCK] = {0}, sums[SAC_ROW_BLOCK], shares[SAC_ROW_BLOCK];
        if (!t->near && a->divide)
            a->kernels.largest_scores(shift, queries, SAC_ROW_BLOCK, t->keys, a->key_size, t->count, t->key_stride);
        a->kernels.softmax_rows(rows, sums, queries, t->near ? NULL : shift, SAC_ROW_BLOCK, t->keys, t->weights,
                                a->key_size, t->count, t->key_stride);
        double unit = (t->near ? SAC_NEAR_UNIT : 1) / t->total;
        for (int r = 0; r < SAC_ROW_BLOCK; r++)
            shares[r] = a->divide ? numbers[i + r] / sums[r] : (float)(numbers[i + r] * unit);
        a->kernels.add_rows(out, rows, shares, SAC_ROW_BLOCK, t->count);
    }
}

// Importance of all columns: their queries are taken in blocks that stay in the first cache while all keys pass.
static void sum_columns(const sac_attention *a, float *out, const columns *t, float *block, float *rows)
{
    memset(out, 0, (size_t)t->count * sizeof *out);
    for (int first = 0; first < t->count; first += QUERIES)
    {
        float numbers[QUERIES];
        int count = take_queries(block, numbers, a, t, first);
        if (t->near && a->divide)
            a->kernels.add_softmax(out, block, numbers, count, t->keys, t->weights, a->key_size, t->count,
                                   t->key_stride, rows);
        else
            add_rows(a, out, block, numbers, count, t, rows);
    }
}

// The distinct columns side by side.
static void gather(float *out, int out_stride, const float *x, const int32_t *first, int count, int size, int stride)
{
    for (int d = 0; d < size; d++, out += out_stride, x += stride)
        for (int i = 0; i < count; i++) out[i] = x[first[i]];
}

static void importance(const sac_attention *a, float *out, const float *queries, const float *keys, int n, int stride,
                       void *workspace)
{
    parts p;
    split(&p, a, n, &(sac_workspace){.memory = workspace});
    bool near = sac_softmax_is_near(a, queries, n, stride, keys, n, stride);
    columns t = {queries, keys, NULL, NULL, n, stride, stride, n, near};
    int count =
        sac_find_distinct(&p.same, &a->kernels, queries, keys, a->key_size, n, stride, sac_softmax_capacity(a, n));
    if (count < 0 || count == n)
    {
        sum_columns(a, out, &t, p.block, p.rows);
        return;
    }
    t = (columns){queries, p.keys, p.weights, &p.same, count, stride, sac_round_up(count), n, near};
    gather(p.keys, t.key_stride, keys, p.same.first, count, a->key_size, stride);
    for (int i = 0; i < count; i++) p.weights[i] = (float)p.same.number[i];
    sum_columns(a, p.importance, &t, p.block, p.rows);
    // Each column gets the result of its run, and each run that of its distinct column.
    for (int i = 0; i < n; i++) out[i] = p.importance[p.same.group_of_run[p.same.run[i]]];
}

const sac_attention_form sac_attention_softmax = {
    .name = "softmax",
    .summary = "exact softmax over the keys; time grows with the square of the distinct tokens",
    .workspace_size = workspace_size,
    .importance = importance,
    .row = sac_softmax_row,
    .output_workspace_size = sac_softmax_output_workspace_size,
    .output = sac_softmax_output,
};
