#include <string.h>

#include "learn/layer.h"

/// Exact attention, a block of queries at a time: out = P v, P = softmax(scale q k^T), q [M, D], k [N, D], v [N, V].
/// Backward computes the rows of P again from their shift and sum, so that no more than SAC_ATTEND_ROWS rows of P are
/// ever there (Dao et al. 2022).

typedef struct head
{
    const sac_attend *a;
    int pitch;              // of what has a column a key
    float *keys, *values;   // [D, pitch], [V, pitch]: turned
    float *rows, *drows;    // [SAC_ATTEND_ROWS, pitch]
    float *queries;         // [SAC_ATTEND_ROWS, D], times scale
    float *plain;           // [N, D] keys or [N, V] values, close together: a row a page is slow
    float *dkeys, *dvalues; // [N, D], [N, V]
} head;

static head head_of(const sac_attend *a, float *workspace)
{
    const int n = sac_round_up(a->keys);
    head h = {.a = a, .pitch = n, .keys = workspace};
    h.values = h.keys + (ptrdiff_t)a->size * n;
    h.rows = h.values + (ptrdiff_t)a->value_size * n;
    h.drows = h.rows + (ptrdiff_t)SAC_ATTEND_ROWS * n;
    h.queries = h.drows + (ptrdiff_t)SAC_ATTEND_ROWS * n;
    h.dkeys = h.queries + (ptrdiff_t)SAC_ATTEND_ROWS * a->size;
    h.dvalues = h.dkeys + (ptrdiff_t)a->size * n;
    h.plain = h.dvalues + (ptrdiff_t)a->value_size * n;
    return h;
}

// Turns `from` [rows, size] into [size, pitch]. The columns past the last are zero.
static void turn_tokens(float *to, int pitch, const float *from, ptrdiff_t from_row, int rows, int size)
{
    for (int j = 0; j < size; j++)
        for (int i = rows; i < pitch; i++) to[(ptrdiff_t)j * pitch + i] = 0.0f;
    // squares that stay in the cache
    for (int i = 0; i < rows; i += SAC_LANES)
        for (int j = 0; j < size; j++)
        {
            float *restrict line = to + (ptrdiff_t)j * pitch + i;
            const float *restrict column = from + i * from_row + j;
            for (int r = 0; r < SAC_LANES && i + r < rows; r++) line[r] = column[r * from_row];
        }
}

static void copy_tokens(float *to, ptrdiff_t to_row, const float *from, ptrdiff_t from_row, int rows, int size)
{
    for (int i = 0; i < rows; i++) memcpy(to + i * to_row, from + i * from_row, (size_t)size * sizeof *to);
}

// scores [count, pitch] = x [count, size] turned [size, pitch]
static void scores(const sac_learn *l, const head *h, float *out, const float *x, ptrdiff_t x_row, int count,
                   const float *turned, int size)
{
    layer_gemm(l, (sac_gemm){.rows = count,
                             .columns = h->pitch,
                             .inner = size,
                             .a = x,
                             .a_row = x_row,
                             .a_column = 1,
                             .b = turned,
                             .b_row = h->pitch,
                             .b_column = 1,
                             .out = out,
                             .out_row = h->pitch});
}

// out [count, size] = rows [count, N] x [N, size]
static void weigh(const sac_learn *l, const head *h, float *out, ptrdiff_t out_row, const float *rows, int count,
                  const float *x, ptrdiff_t x_row, int size)
{
    layer_gemm(l, (sac_gemm){.rows = count,
                             .columns = size,
                             .inner = h->a->keys,
                             .a = rows,
                             .a_row = h->pitch,
                             .a_column = 1,
                             .b = x,
                             .b_row = x_row,
                             .b_column = 1,
                             .out = out,
                             .out_row = out_row});
}

// out [N, size] += rows [count, N]^T x [count, size]
static void weigh_back(const sac_learn *l, const head *h, float *out, ptrdiff_t out_row, const float *rows, int count,
                       const float *x, ptrdiff_t x_row, int size)
{
    layer_gemm(l, (sac_gemm){.rows = h->a->keys,
                             .columns = size,
                             .inner = count,
                             .a = rows,
                             .a_row = 1,
                             .a_column = h->pitch,
                             .b = x,
                             .b_row = x_row,
                             .b_column = 1,
                             .out = out,
                             .out_row = out_row,
                             .add = true});
}

static void scale_queries(const head *h, const float *q, int count)
{
    for (int i = 0; i < count; i++)
        for (int d = 0; d < h->a->size; d++) h->queries[i * h->a->size + d] = h->a->scale * q[i * h->a->query_row + d];
}

static inline void exponents(float *restrict row, float shift, float factor, int count)
{
    for (int j = 0; j < count; j++) row[j] = sac_exp(row[j] - shift) * factor;
}

static inline void scale_row(float *restrict row, float factor, int count)
{
    for (int j = 0; j < count; j++) row[j] *= factor;
}

static void forward_block(const sac_learn *l, const head *h, float *out, float *kept, const float *q, int count)
{
    const sac_attend *a = h->a;
    scale_queries(h, q, count);
    scores(l, h, h->rows, h->queries, a->size, count, h->keys, a->size);
    // P = e^(score - shift) / sum; the division waits for the shorter out
    for (int i = 0; i < count; i++)
    {
        float *row = h->rows + (ptrdiff_t)i * h->pitch;
        kept[2 * i] = row_largest(row, a->keys);
        exponents(row, kept[2 * i], 1.0f, a->keys);
        kept[2 * i + 1] = 1.0f / row_total(row, a->keys);
    }
    weigh(l, h, out, a->out_row, h->rows, count, h->plain, a->value_size, a->value_size);
    for (int i = 0; i < count; i++) scale_row(out + i * a->out_row, kept[2 * i + 1], a->value_size);
}

void LAYER(attend_forward)(const sac_learn *l, const sac_attend *a, float *out, float *kept, const float *q,
                           const float *k, const float *v, float *workspace)
{
    head h = head_of(a, workspace);
    for (int i = 0; i < a->heads; i++, q += a->size, k += a->size, v += a->value_size, out += a->value_size)
    {
        turn_tokens(h.keys, h.pitch, k, a->key_row, a->keys, a->size);
        copy_tokens(h.plain, a->value_size, v, a->value_row, a->keys, a->value_size);
        for (int from = 0; from < a->queries; from += SAC_ATTEND_ROWS)
        {
            int count = a->queries - from < SAC_ATTEND_ROWS ? a->queries - from : SAC_ATTEND_ROWS;
            forward_block(l, &h, out + from * a->out_row, kept + 2 * from, q + from * a->query_row, count);
        }
        kept += 2 * a->queries;
    }
}

static inline void row_backward(float *restrict drow, const float *restrict row, float mean, int count)
{
    for (int j = 0; j < count; j++) drow[j] = row[j] * (drow[j] - mean);
}

// dq is written, the head's dkeys and dvalues are added to
static void backward_block(const sac_learn *l, const head *h, float *dq, const float *dout, const float *out,
                           const float *kept, const float *q, int count)
{
    const sac_attend *a = h->a;
    scale_queries(h, q, count);
    scores(l, h, h->rows, h->queries, a->size, count, h->keys, a->size);
    for (int i = 0; i < count; i++) exponents(h->rows + (ptrdiff_t)i * h->pitch, kept[2 * i], kept[2 * i + 1], a->keys);
    // out = P v
    weigh_back(l, h, h->dvalues, a->value_size, h->rows, count, dout, a->out_row, a->value_size);
    scores(l, h, h->drows, dout, a->out_row, count, h->values, a->value_size);
    // P = softmax(score): the gradient with respect to a score is P (dP - sum dP P), and that sum is dout . out
    for (int i = 0; i < count; i++)
        row_backward(h->drows + (ptrdiff_t)i * h->pitch, h->rows + (ptrdiff_t)i * h->pitch,
                     row_dot(dout + i * a->out_row, out + i * a->out_row, a->value_size), a->keys);
    // score = scale q k^T
    weigh(l, h, dq, a->query_row, h->drows, count, h->plain, a->size, a->size);
    for (int i = 0; i < count; i++) scale_row(dq + i * a->query_row, a->scale, a->size);
    weigh_back(l, h, h->dkeys, a->size, h->drows, count, h->queries, a->size, a->size);
}

void LAYER(attend_backward)(const sac_learn *l, const sac_attend *a, float *dq, float *dk, float *dv, const float *dout,
                            const float *out, const float *kept, const float *q, const float *k, const float *v,
                            float *workspace)
{
    head h = head_of(a, workspace);
    for (int i = 0; i < a->heads; i++, kept += 2 * a->queries)
    {
        ptrdiff_t key = (ptrdiff_t)i * a->size, value = (ptrdiff_t)i * a->value_size;
        turn_tokens(h.keys, h.pitch, k + key, a->key_row, a->keys, a->size);
        turn_tokens(h.values, h.pitch, v + value, a->value_row, a->keys, a->value_size);
        copy_tokens(h.plain, a->size, k + key, a->key_row, a->keys, a->size);
        memset(h.dkeys, 0, (size_t)a->keys * (size_t)a->size * sizeof *h.dkeys);
        memset(h.dvalues, 0, (size_t)a->keys * (size_t)a->value_size * sizeof *h.dvalues);
        for (int from = 0; from < a->queries; from += SAC_ATTEND_ROWS)
        {
            int count = a->queries - from < SAC_ATTEND_ROWS ? a->queries - from : SAC_ATTEND_ROWS;
            ptrdiff_t query = from * a->query_row + key, at = from * a->out_row + value;
            backward_block(l, &h, dq + query, dout + at, out + at, kept + 2 * from, q + query, count);
        }
        copy_tokens(dk + key, a->key_row, h.dkeys, a->size, a->keys, a->size);
        copy_tokens(dv + value, a->value_row, h.dvalues, a->value_size, a->keys, a->value_size);
    }
}
