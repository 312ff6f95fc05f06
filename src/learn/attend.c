#include <string.h>

#include "base/lanes/level.h"
#include "kernels/wide_elementary.h"
#include "learn/layer.h"

/// Exact attention: out = P v, P = softmax(scale q k^T), q [M, D], k [N, D], v [N, V]. No more than a tile of P is ever
/// there, a block of queries by a block of keys (Dao et al. 2022). Forward finds a row's largest score as it goes, and
/// what it has summed so far shrinks where a later block has a larger one. Backward computes P again from the shift and
/// the sum of its rows.
///
/// Matrices are laid out for products of a tile: keys of one block in strips [D, STRIP], so that a strip of scores is a
/// product that copies nothing, and values in panels of PANEL columns.

enum
{
    ROWS = SAC_ATTEND_ROWS,
    KEYS = SAC_ATTEND_KEYS,
    KEYS_BACK = SAC_ATTEND_KEYS_BACK,
    STRIP = SAC_ATTEND_STRIP,
    PANEL = 32
};

// --- layouts ---

static inline int least(int a, int b)
{
    return a < b ? a : b;
}

// Turns `from` [count, size] into [size, pitch], zero past the last column.
static void turn(float *to, int pitch, const float *from, ptrdiff_t from_row, int count, int size)
{
    for (int j = 0; j < size; j++)
        for (int i = count; i < pitch; i++) to[(ptrdiff_t)j * pitch + i] = 0.0f;
    // squares that stay in the cache
    for (int i = 0; i < count; i += SAC_LANES)
        for (int j = 0; j < size; j++)
        {
            float *restrict line = to + (ptrdiff_t)j * pitch + i;
            const float *restrict column = from + i * from_row + j;
            for (int r = 0; r < SAC_LANES && i + r < count; r++) line[r] = column[r * from_row];
        }
}

// [count, size] becomes strips of STRIP tokens, each turned
static void cut_strips(float *to, const float *from, ptrdiff_t from_row, int count, int size)
{
    for (int at = 0; at < count; at += STRIP, to += STRIP * size, from += STRIP * from_row)
        turn(to, STRIP, from, from_row, least(STRIP, count - at), size);
}

// [count, size] becomes panels of PANEL columns, the last one narrower where they do not divide the size
static void cut_panels(float *to, const float *from, ptrdiff_t from_row, int count, int size)
{
    for (int at = 0; at < size; at += PANEL)
    {
        const int width = least(PANEL, size - at);
        for (int i = 0; i < count; i++, to += width) memcpy(to, from + i * from_row + at, (size_t)width * sizeof *to);
    }
}

static void copy_tokens(float *to, ptrdiff_t to_row, const float *from, ptrdiff_t from_row, int count, int size)
{
    for (int i = 0; i < count; i++) memcpy(to + i * to_row, from + i * from_row, (size_t)size * sizeof *to);
}

// --- products of a tile: `count` queries by `keys` keys ---

// scores [count, pitch] = x y^T, x turned to [size, ROWS], y [keys, size] in strips
static void scores(const sac_learn *l, float *out, int pitch, const float *turned, int count, const float *strips,
                   int keys, int size)
{
    for (int at = 0; at < keys; at += STRIP, strips += STRIP * size)
        layer_gemm(l, (sac_gemm){.rows = count,
                                 .columns = least(STRIP, pitch - at),
                                 .inner = size,
                                 .a = turned,
                                 .a_row = 1,
                                 .a_column = ROWS,
                                 .b = strips,
                                 .b_row = STRIP,
                                 .b_column = 1,
                                 .out = out + at,
                                 .out_row = pitch});
}

// out [count, size] (+)= rows [count, keys] x, x [keys, size] in panels
static void weigh(const sac_learn *l, float *out, ptrdiff_t out_row, const float *rows, int pitch, int count,
                  const float *panels, int keys, int size, bool add)
{
    for (int at = 0; at < size; at += PANEL, panels += PANEL * keys)
    {
        const int width = least(PANEL, size - at);
        layer_gemm(l, (sac_gemm){.rows = count,
                                 .columns = width,
                                 .inner = keys,
                                 .a = rows,
                                 .a_row = pitch,
                                 .a_column = 1,
                                 .b = panels,
                                 .b_row = width,
                                 .b_column = 1,
                                 .out = out + at,
                                 .out_row = out_row,
                                 .add = add});
    }
}

// out [keys, size] += rows [count, keys]^T x [count, size]
static void weigh_back(const sac_learn *l, float *out, const float *rows, int pitch, int count, const float *x,
                       int keys, int size)
{
    layer_gemm(l, (sac_gemm){.rows = keys,
                             .columns = size,
                             .inner = count,
                             .a = rows,
                             .a_row = 1,
                             .a_column = pitch,
                             .b = x,
                             .b_row = size,
                             .b_column = 1,
                             .out = out,
                             .out_row = size,
                             .add = true});
}

// --- rows ---

// the largest of a row, the sum of which row_total gives, and so on: over its lanes, as layer.h has it
static inline float largest_of(const float *row, int count)
{
    lanes largest = lanes_set(-INFINITY);
    float rest[SAC_LANES];
    lanes_store(rest, largest);
    int j = 0;
    for (; j + SAC_LANES <= count; j += SAC_LANES) largest = lanes_max(lanes_load(row + j), largest);
    for (int i = 0; i < count - j; i++) rest[i] = row[j + i];
    return lanes_largest(lanes_max(lanes_load(rest), largest));
}

// e^(score - shift) and their sum
static inline float exponents(float *row, float shift, int count)
{
    const lanes less = lanes_set(shift);
    lanes sum = lanes_set(0.0f);
    int j = 0;
    for (; j + SAC_LANES <= count; j += SAC_LANES)
    {
        const lanes x = wide_exp(lanes_sub(lanes_load(row + j), less));
        lanes_store(row + j, x);
        sum = lanes_add(sum, x);
    }
    if (j < count)
    {
        const lanes x = wide_exp(lanes_sub(lanes_load_part(row + j, count - j), less));
        lanes_store_part(row + j, x, count - j);
        sum = lanes_add(sum, lanes_first(x, count - j));
    }
    return lanes_sum(sum);
}

// P again, which forward has divided by its sum after all
static inline lanes again(lanes score, lanes shift, lanes inverse)
{
    return lanes_mul(wide_exp(lanes_sub(score, shift)), inverse);
}

static inline void exponents_again(float *row, float shift, float inverse, int count)
{
    const lanes less = lanes_set(shift), factor = lanes_set(inverse);
    int j = 0;
    for (; j + SAC_LANES <= count; j += SAC_LANES) lanes_store(row + j, again(lanes_load(row + j), less, factor));
    if (j < count) store_tokens(row + j, again(load_tokens(row + j, count - j), less, factor), count - j);
}

static inline void scale_row(float *restrict row, float factor, int count)
{
    for (int j = 0; j < count; j++) row[j] *= factor;
}

static inline void row_backward(float *drow, const float *row, float mean, int count)
{
    const lanes less = lanes_set(mean);
    int j = 0;
    for (; j + SAC_LANES <= count; j += SAC_LANES)
        lanes_store(drow + j, lanes_mul(lanes_load(row + j), lanes_sub(lanes_load(drow + j), less)));
    for (; j < count; j++) drow[j] = row[j] * (drow[j] - mean);
}

// layer.h's row_dot
static inline float dot_of(const float *x, const float *y, int count)
{
    lanes sum = lanes_set(0.0f);
    int j = 0;
    for (; j + SAC_LANES <= count; j += SAC_LANES) sum = lanes_fma(lanes_load(x + j), lanes_load(y + j), sum);
    if (j < count) sum = lanes_fma(load_tokens(x + j, count - j), load_tokens(y + j, count - j), sum);
    return lanes_sum(sum);
}

static void scale_tokens(float *to, const float *from, ptrdiff_t from_row, float scale, int count, int size)
{
    for (int i = 0; i < count; i++, to += size)
        for (int d = 0; d < size; d++) to[d] = scale * from[i * from_row + d];
}

// --- forward ---

// what forward has of one block of keys
typedef struct block
{
    int count, pitch; // keys; columns of rows
    bool first, last;
    float *keys, *values;    // strips [D], panels [V]
    float *rows;             // [ROWS, pitch] of P
    float *queries, *turned; // [ROWS, D] times scale, and turned
} block;

static block block_of(const sac_attend *a, float *workspace)
{
    const ptrdiff_t n = least(sac_round_up(a->keys), KEYS), strips = (n + STRIP - 1) / STRIP * STRIP;
    block b = {.keys = workspace};
    b.values = b.keys + strips * a->size;
    b.rows = b.values + n * a->value_size;
    b.queries = b.rows + ROWS * n;
    b.turned = b.queries + (ptrdiff_t)ROWS * a->size;
    return b;
}

// P = e^(score - shift) / sum; kept [count, 2] is shift and sum so far, at the end 1 / sum
static void forward_tile(const sac_learn *l, const sac_attend *a, const block *b, float *out, float *kept,
                         const float *q, int count)
{
    scale_tokens(b->queries, q, a->query_row, a->scale, count, a->size);
    turn(b->turned, ROWS, b->queries, a->size, count, a->size);
    scores(l, b->rows, b->pitch, b->turned, count, b->keys, b->count, a->size);
    for (int i = 0; i < count; i++)
    {
        float *row = b->rows + (ptrdiff_t)i * b->pitch, *shift = &kept[2 * i], *sum = &kept[2 * i + 1];
        const float largest = largest_of(row, b->count);
        if (b->first)
            *shift = largest, *sum = 0.0f;
        else if (largest > *shift)
        {
            const float factor = sac_exp(*shift - largest);
            scale_row(out + i * a->out_row, factor, a->value_size);
            *shift = largest, *sum *= factor;
        }
        *sum += exponents(row, *shift, b->count);
    }
    weigh(l, out, a->out_row, b->rows, b->pitch, count, b->values, b->count, a->value_size, !b->first);
    for (int i = 0; b->last && i < count; i++)
    {
        kept[2 * i + 1] = 1.0f / kept[2 * i + 1];
        scale_row(out + i * a->out_row, kept[2 * i + 1], a->value_size);
    }
}

void LAYER(attend_forward)(const sac_learn *l, const sac_attend *a, float *out, float *kept, const float *q,
                           const float *k, const float *v, float *workspace)
{
    block b = block_of(a, workspace);
    for (int i = 0; i < a->heads; i++, q += a->size, k += a->size, v += a->value_size, out += a->value_size)
    {
        for (int at = 0; at < a->keys; at += KEYS)
        {
            b.count = least(KEYS, a->keys - at), b.pitch = sac_round_up(b.count);
            b.first = at == 0, b.last = at + b.count == a->keys;
            cut_strips(b.keys, k + at * a->key_row, a->key_row, b.count, a->size);
            cut_panels(b.values, v + at * a->value_row, a->value_row, b.count, a->value_size);
            for (int from = 0; from < a->queries; from += ROWS)
                forward_tile(l, a, &b, out + from * a->out_row, kept + 2 * from, q + from * a->query_row,
                             least(ROWS, a->queries - from));
        }
        kept += 2 * a->queries;
    }
}

// --- backward ---

// what backward has of one block of keys; gradients are added up over all queries
typedef struct block_back
{
    int count, pitch;
    bool first, last;
    float *keys, *values;   // strips [D], [V]
    float *panels;          // of keys [D]
    float *dkeys, *dvalues; // [count, D], [count, V]
    float *rows, *drows;    // [ROWS, pitch] of P and its gradient
    float *queries, *douts; // [ROWS, D] times scale, [ROWS, V]
    float *turned;          // one of the two
    float *along;           // [M] dout . out of each query
} block_back;

static block_back block_back_of(const sac_attend *a, float *workspace)
{
    const ptrdiff_t n = least(sac_round_up(a->keys), KEYS_BACK), strips = (n + STRIP - 1) / STRIP * STRIP;
    block_back b = {.keys = workspace};
    b.values = b.keys + strips * a->size;
    b.panels = b.values + strips * a->value_size;
    b.dkeys = b.panels + n * a->size;
    b.dvalues = b.dkeys + n * a->size;
    b.rows = b.dvalues + n * a->value_size;
    b.drows = b.rows + ROWS * n;
    b.queries = b.drows + ROWS * n;
    b.douts = b.queries + (ptrdiff_t)ROWS * a->size;
    b.turned = b.douts + (ptrdiff_t)ROWS * a->value_size;
    b.along = b.turned + (ptrdiff_t)ROWS * (a->size > a->value_size ? a->size : a->value_size);
    return b;
}

// dq is added to but for the first block of keys, which writes it; the block's dkeys and dvalues are added to
static void backward_tile(const sac_learn *l, const sac_attend *a, const block_back *b, float *dq, const float *dout,
                          const float *along, const float *kept, const float *q, int count)
{
    const ptrdiff_t pitch = b->pitch;
    scale_tokens(b->queries, q, a->query_row, a->scale, count, a->size);
    copy_tokens(b->douts, a->value_size, dout, a->out_row, count, a->value_size);
    turn(b->turned, ROWS, b->queries, a->size, count, a->size);
    scores(l, b->rows, b->pitch, b->turned, count, b->keys, b->count, a->size);
    for (int i = 0; i < count; i++) exponents_again(b->rows + i * pitch, kept[2 * i], kept[2 * i + 1], b->count);
    // out = P v
    weigh_back(l, b->dvalues, b->rows, b->pitch, count, b->douts, b->count, a->value_size);
    turn(b->turned, ROWS, b->douts, a->value_size, count, a->value_size);
    scores(l, b->drows, b->pitch, b->turned, count, b->values, b->count, a->value_size);
    // P = softmax(score): the gradient with respect to a score is P (dP - sum dP P), and that sum is dout . out
    for (int i = 0; i < count; i++) row_backward(b->drows + i * pitch, b->rows + i * pitch, along[i], b->count);
    // score = scale q k^T
    weigh(l, dq, a->query_row, b->drows, b->pitch, count, b->panels, b->count, a->size, !b->first);
    for (int i = 0; b->last && i < count; i++) scale_row(dq + i * a->query_row, a->scale, a->size);
    weigh_back(l, b->dkeys, b->drows, b->pitch, count, b->queries, b->count, a->size);
}

void LAYER(attend_backward)(const sac_learn *l, const sac_attend *a, float *dq, float *dk, float *dv, const float *dout,
                            const float *out, const float *kept, const float *q, const float *k, const float *v,
                            float *workspace)
{
    block_back b = block_back_of(a, workspace);
    for (int i = 0; i < a->heads; i++, kept += 2 * a->queries)
    {
        const ptrdiff_t head = (ptrdiff_t)i * a->size, value = (ptrdiff_t)i * a->value_size;
        for (int j = 0; j < a->queries; j++)
            b.along[j] = dot_of(dout + j * a->out_row + value, out + j * a->out_row + value, a->value_size);
        for (int at = 0; at < a->keys; at += KEYS_BACK)
        {
            const ptrdiff_t key = at * a->key_row + head, from_value = at * a->value_row + value;
            b.count = least(KEYS_BACK, a->keys - at), b.pitch = sac_round_up(b.count);
            b.first = at == 0, b.last = at + b.count == a->keys;
            cut_strips(b.keys, k + key, a->key_row, b.count, a->size);
            cut_strips(b.values, v + from_value, a->value_row, b.count, a->value_size);
            cut_panels(b.panels, k + key, a->key_row, b.count, a->size);
            memset(b.dkeys, 0, (size_t)b.count * (size_t)a->size * sizeof *b.dkeys);
            memset(b.dvalues, 0, (size_t)b.count * (size_t)a->value_size * sizeof *b.dvalues);
            for (int from = 0; from < a->queries; from += ROWS)
            {
                const ptrdiff_t query = from * a->query_row + head, to = from * a->out_row + value;
                backward_tile(l, a, &b, dq + query, dout + to, b.along + from, kept + 2 * from, q + query,
                              least(ROWS, a->queries - from));
            }
            copy_tokens(dk + key, a->key_row, b.dkeys, a->size, b.count, a->size);
            copy_tokens(dv + from_value, a->value_row, b.dvalues, a->value_size, b.count, a->value_size);
        }
    }
}
