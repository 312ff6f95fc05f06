#pragma once

#include "kernels/wide.h"

/// Maps of tokens to features over the `lanes` of the level file that includes this.

enum
{
    // features that share the loads of a token; with the token that fits the registers of every level
    FEATURE_BLOCK = 8
};

// |x|^2 of 16 tokens, one dimension after the other
WIDE lanes square_norm(const float *x, int size, int stride, int left)
{
    lanes first = load_tokens(x, left), norm = lanes_mul(first, first);
    for (int d = 1; d < size; d++)
    {
        lanes value = load_tokens(x + d * stride, left);
        norm = lanes_fma(value, value, norm);
    }
    return norm;
}

// Computes u for `count` features from feature m on.
WIDE void project_features(lanes *u, const sac_features *f, const float *x, int size, int stride, int left, int m,
                           int count)
{
    // the first product starts the sum, as in scalar.c: one rounding
    lanes value = load_tokens(x, left);
    for (int b = 0; b < count; b++) u[b] = lanes_mul(lanes_set(f->matrix[(m + b) * size]), value);
    for (int d = 1; d < size; d++)
    {
        value = load_tokens(x + d * stride, left);
        for (int b = 0; b < count; b++) u[b] = lanes_fma(lanes_set(f->matrix[(m + b) * size + d]), value, u[b]);
    }
}

// Maps that make one feature from one u. The choice is a constant where the loops are inlined.
typedef enum simple_map
{
    RELU,
    EXP,
    SQUARE
} simple_map;

// EXP is 2^(u + square |x|^2), the positive features of Choromanski et al. 2021 (Performers), lemma 1:
// E exp(w.x - |x|^2 / 2) exp(w.y - |y|^2 / 2) = exp(x.y) for normal w.
WIDE lanes phi(lanes u, lanes norm, float square, simple_map map)
{
    if (map == SQUARE) return lanes_mul(u, u);
    // max(0, u) in this order gives u where u is NaN, so that NaN is never hidden
    if (map == RELU) return lanes_max(lanes_set(0.0f), u);
    return wide_exp2(lanes_fma(lanes_set(square), norm, u));
}

// Only EXP needs the length of the tokens.
WIDE lanes norm_for(simple_map map, const float *x, int size, int stride, int left)
{
    return map == EXP ? square_norm(x, size, stride, left) : lanes_set(0.0f);
}

// The sums of `count` features over all tokens. The features of a block share the loads of the tokens, and their sums
// stay in registers; what lies past the last token is left out, for phi(0) need not be zero.
WIDE void sum_features(float *sums, const float *x, int n, int size, int stride, const sac_features *f, int m,
                       int count, simple_map map)
{
    lanes total[FEATURE_BLOCK];
    for (int b = 0; b < count; b++) total[b] = lanes_load(sums + (m + b) * SAC_LANES);
    for (int i = 0; i < n; i += SAC_LANES)
    {
        int left = n - i;
        lanes u[FEATURE_BLOCK], norm = norm_for(map, x + i, size, stride, left);
        project_features(u, f, x + i, size, stride, left, m, count);
        for (int b = 0; b < count; b++)
        {
            lanes value = phi(u[b], norm, f->square, map);
            total[b] = lanes_add(total[b], left >= SAC_LANES ? value : lanes_first(value, left));
        }
    }
    for (int b = 0; b < count; b++) lanes_store(sums + (m + b) * SAC_LANES, total[b]);
}

// The sums of all features, z = sum_i phi(x_i) in 16 lanes each, block by block.
WIDE void all_sums(float *sums, const float *x, int n, int size, int stride, const sac_features *f, simple_map map)
{
    int m = 0;
    for (; m + FEATURE_BLOCK <= f->count; m += FEATURE_BLOCK)
        sum_features(sums, x, n, size, stride, f, m, FEATURE_BLOCK, map);
    for (; m < f->count; m++) sum_features(sums, x, n, size, stride, f, m, 1, map);
}

// 16 tokens at a time; the features come in blocks of FEATURE_BLOCK, but are added one by one, in the order of
// scalar.c.
WIDE void all_scores(float *scores, const float *weights, const float *x, int n, int size, int stride,
                     const sac_features *f, simple_map map)
{
    for (int j = 0; j < n; j += SAC_LANES)
    {
        int left = n - j, m = 0;
        lanes score = lanes_set(0.0f), u[FEATURE_BLOCK], norm = norm_for(map, x + j, size, stride, left);
        for (; m + FEATURE_BLOCK <= f->count; m += FEATURE_BLOCK)
        {
            project_features(u, f, x + j, size, stride, left, m, FEATURE_BLOCK);
            for (int b = 0; b < FEATURE_BLOCK; b++)
                score = lanes_fma(lanes_set(weights[m + b]), phi(u[b], norm, f->square, map), score);
        }
        for (; m < f->count; m++)
        {
            project_features(u, f, x + j, size, stride, left, m, 1);
            score = lanes_fma(lanes_set(weights[m]), phi(u[0], norm, f->square, map), score);
        }
        store_tokens(scores + j, score, left);
    }
}

// The features themselves, for those who multiply them with more than one vector.
WIDE void all_features(float *features, int features_stride, const float *x, int n, int size, int stride,
                       const sac_features *f, simple_map map)
{
    for (int i = 0; i < n; i += SAC_LANES)
    {
        int left = n - i, m = 0;
        lanes u[FEATURE_BLOCK], norm = norm_for(map, x + i, size, stride, left);
        for (; m + FEATURE_BLOCK <= f->count; m += FEATURE_BLOCK)
        {
            project_features(u, f, x + i, size, stride, left, m, FEATURE_BLOCK);
            for (int b = 0; b < FEATURE_BLOCK; b++)
                store_tokens(features + (m + b) * features_stride + i, phi(u[b], norm, f->square, map), left);
        }
        for (; m < f->count; m++)
        {
            project_features(u, f, x + i, size, stride, left, m, 1);
            store_tokens(features + m * features_stride + i, phi(u[0], norm, f->square, map), left);
        }
    }
}

// Maps of the tokens themselves, without a matrix. Their time is that of reading the tokens.

// `count` rows at a time, because each of them is a chain of additions that waits for itself.
WIDE void raw_rows(float *sums, const float *x, int n, int stride, lanes factor, int count, simple_map map)
{
    lanes total[FEATURE_BLOCK];
    for (int b = 0; b < count; b++) total[b] = lanes_load(sums + b * SAC_LANES);
    for (int i = 0; i < n; i += SAC_LANES)
        for (int b = 0; b < count; b++)
        {
            // Past the last token u and phi are zero.
            lanes u = lanes_mul(load_tokens(x + b * stride + i, n - i), factor);
            total[b] = lanes_add(total[b], phi(u, factor, 0, map));
        }
    for (int b = 0; b < count; b++) lanes_store(sums + b * SAC_LANES, total[b]);
}

WIDE void raw_sums(float *sums, const float *x, int n, int stride, const sac_features *f, simple_map map)
{
    lanes factor = lanes_set(f->factor);
    int m = 0;
    for (; m + FEATURE_BLOCK <= f->count; m += FEATURE_BLOCK)
        raw_rows(sums + m * SAC_LANES, x + m * stride, n, stride, factor, FEATURE_BLOCK, map);
    for (; m < f->count; m++) raw_rows(sums + m * SAC_LANES, x + m * stride, n, stride, factor, 1, map);
}

// Column by column, the features in their order.
WIDE void raw_scores(float *scores, const float *weights, const float *x, int n, int stride, const sac_features *f,
                     simple_map map)
{
    lanes factor = lanes_set(f->factor);
    for (int j = 0; j < n; j += SAC_LANES)
    {
        lanes score = lanes_set(0.0f);
        for (int m = 0; m < f->count; m++)
        {
            lanes u = lanes_mul(load_tokens(x + m * stride + j, n - j), factor);
            score = lanes_fma(lanes_set(weights[m]), phi(u, factor, 0, map), score);
        }
        store_tokens(scores + j, score, n - j);
    }
}

// Row by row: nothing is shared between them.
WIDE void raw_features(float *features, int features_stride, const float *x, int n, int stride, const sac_features *f,
                       simple_map map)
{
    lanes factor = lanes_set(f->factor);
    for (int m = 0; m < f->count; m++)
        for (int i = 0; i < n; i += SAC_LANES)
        {
            lanes u = lanes_mul(load_tokens(x + m * stride + i, n - i), factor);
            store_tokens(features + m * features_stride + i, phi(u, factor, 0, map), n - i);
        }
}

// The three kernels of a map; `raw` says that it can do without a matrix.
#define WIDE_MAP(name, map, raw)                                                    \
    static void wide_##name##_sums SAC_SUMS_PARAMETERS                              \
    {                                                                               \
        if (raw && !f->matrix)                                                      \
            raw_sums(sums, x, n, stride, f, map);                                   \
        else                                                                        \
            all_sums(sums, x, n, f->size, stride, f, map);                          \
    }                                                                               \
    static void wide_##name##_scores SAC_SCORES_PARAMETERS                          \
    {                                                                               \
        if (raw && !f->matrix)                                                      \
            raw_scores(scores, weights, x, n, stride, f, map);                      \
        else                                                                        \
            all_scores(scores, weights, x, n, f->size, stride, f, map);             \
    }                                                                               \
    static void wide_##name##_features SAC_FEATURES_PARAMETERS                      \
    {                                                                               \
        if (raw && !f->matrix)                                                      \
            raw_features(features, features_stride, x, n, stride, f, map);          \
        else                                                                        \
            all_features(features, features_stride, x, n, f->size, stride, f, map); \
    }

WIDE_MAP(relu, RELU, true)
WIDE_MAP(exp, EXP, false)
WIDE_MAP(square, SQUARE, false)

enum
{
    GROUP = 2,       // vectors of tokens that share a walk over the sums
    ANGLE_BLOCK = 4, // features
};

// 16 tokens as trig and hybrid see them; r = 0: trig, without powers
typedef struct angle_tokens
{
    const float *x;
    int left;
    lanes norm, length;
} angle_tokens;

// What all features of a token share: |x|^2, and 2 to the power of its opposite, which the waves are multiplied by.
WIDE angle_tokens angle_load(const float *x, int size, int stride, int left, const sac_features *f)
{
    lanes norm = square_norm(x, size, stride, left);
    lanes length = wide_exp2(lanes_negate(lanes_mul(lanes_set(f->square), norm)));
    return (angle_tokens){x, left, norm, length};
}

// 1 or -1: the side of plane l
WIDE lanes angle_side(const angle_tokens *t, int size, int stride, const sac_features *f, int l)
{
    const float *w = f->directions + l * size;
    lanes dot = lanes_mul(lanes_set(w[0]), load_tokens(t->x, t->left));
    for (int d = 1; d < size; d++) dot = lanes_fma(lanes_set(w[d]), load_tokens(t->x + d * stride, t->left), dot);
    return lanes_choose(lanes_less(dot, lanes_set(0.0f)), lanes_set(-1.0f), lanes_set(1.0f));
}

// Computes sine, cosine and, for the hybrid map, the positive feature.
WIDE void angle_values(lanes out[3], lanes u, const angle_tokens *t, const sac_features *f, bool hybrid)
{
    // the angle in quarter turns, so that reducing it is exact
    wide_sin_cos(lanes_mul(u, lanes_set(f->turn)), &out[0], &out[1]);
    out[0] = lanes_mul(out[0], t->length);
    out[1] = lanes_mul(out[1], t->length);
    if (hybrid) out[2] = wide_exp2(lanes_fma(lanes_set(f->square), t->norm, u));
}

// Finds the rows of feature m: that of its value (sine, cosine, power) alone, and that of the value times the side of
// plane l.
WIDE int plain_row(const sac_features *f, int m, int value)
{
    return value < 2 ? 2 * m + value : 2 * f->count + m;
}

// the order of sac_hybrid_features: [M, R, 2] of waves, then [M, R] of powers
WIDE int side_row(const sac_features *f, int m, int value, int l, int r)
{
    int at = m * r + l;
    return 3 * f->count + (value < 2 ? 2 * at + value : 2 * f->count * r + at);
}

// The values of `vectors` vectors into one sum, in their order.
WIDE void add_values(float *sum, lanes values[GROUP][3], int value, int vectors)
{
    lanes total = lanes_load(sum);
    for (int v = 0; v < vectors; v++) total = lanes_add(total, values[v][value]);
    lanes_store(sum, total);
}

// The same for a value times the sides of a plane.
WIDE void add_sides(float *sum, lanes values[GROUP][3], int value, const lanes *sides, int vectors)
{
    lanes total = lanes_load(sum);
    for (int v = 0; v < vectors; v++) total = lanes_fma(sides[v], values[v][value], total);
    lanes_store(sum, total);
}

// One or two vectors of tokens: the values of all features, added to the plain sums and, times the sides, to the sums
// of the planes. There are 3 M (1 + R) sums, too many for registers, so that two vectors share each walk over them.
WIDE void angle_group(float *sums, const float *x, int size, int stride, int left, int vectors, const sac_features *f,
                      bool hybrid, int r)
{
    angle_tokens t[GROUP];
    lanes sides[SAC_MAX_DIRECTIONS][GROUP];
    for (int v = 0; v < vectors; v++)
    {
        t[v] = angle_load(x + v * SAC_LANES, size, stride, left, f);
        // sides do not depend on the feature: each is found once
        for (int l = 0; l < r; l++) sides[l][v] = angle_side(&t[v], size, stride, f, l);
    }
    for (int m = 0; m < f->count;)
    {
        int block = f->count - m < ANGLE_BLOCK ? 1 : ANGLE_BLOCK;
        lanes u[GROUP][ANGLE_BLOCK];
        for (int v = 0; v < vectors; v++)
            if (block == ANGLE_BLOCK)
                project_features(u[v], f, t[v].x, size, stride, left, m, ANGLE_BLOCK);
            else
                project_features(u[v], f, t[v].x, size, stride, left, m, 1);
        for (int b = 0; b < block; b++, m++)
        {
            lanes values[GROUP][3];
            for (int v = 0; v < vectors; v++)
            {
                angle_values(values[v], u[v][b], &t[v], f, hybrid);
                for (int k = 0; k < 2 + hybrid; k++)
                    if (left < SAC_LANES) values[v][k] = lanes_first(values[v][k], left);
            }
            for (int k = 0; k < 2 + hybrid; k++) add_values(sums + plain_row(f, m, k) * SAC_LANES, values, k, vectors);
            for (int l = 0; l < r; l++)
                for (int k = 0; k < 3; k++)
                    add_sides(sums + side_row(f, m, k, l, r) * SAC_LANES, values, k, sides[l], vectors);
        }
    }
}

WIDE void angle_sums(float *sums, const float *x, int n, int size, int stride, const sac_features *f, bool hybrid,
                     int r)
{
    int i = 0;
    // two vectors while there are two, and then what is left
    for (; i + GROUP * SAC_LANES <= n; i += GROUP * SAC_LANES)
        angle_group(sums, x + i, size, stride, SAC_LANES, GROUP, f, hybrid, r);
    for (; i < n; i += SAC_LANES) angle_group(sums, x + i, size, stride, n - i, 1, f, hybrid, r);
}

// sum_l s_l g_l, as sac_hybrid_scores_scalar has it: the signs are taken out of the sums over features, which leaves
// one product with a sign for each plane instead of one for each feature.
WIDE void angle_scores(float *scores, const float *weights, const float *x, int n, int size, int stride,
                       const sac_features *f, bool hybrid, int r)
{
    for (int j = 0; j < n; j += SAC_LANES)
    {
        angle_tokens t = angle_load(x + j, size, stride, n - j, f);
        lanes parts[1 + SAC_MAX_DIRECTIONS];
        // parts[0] of waves and powers, parts[1 + l] of those that are multiplied by side l
        parts[0] = lanes_set(0.0f);
        for (int l = 0; l < r; l++) parts[1 + l] = parts[0];
        for (int m = 0; m < f->count;)
        {
            int block = f->count - m < ANGLE_BLOCK ? 1 : ANGLE_BLOCK;
            lanes u[ANGLE_BLOCK];
            if (block == ANGLE_BLOCK)
                project_features(u, f, t.x, size, stride, t.left, m, ANGLE_BLOCK);
            else
                project_features(u, f, t.x, size, stride, t.left, m, 1);
            for (int b = 0; b < block; b++, m++)
            {
                lanes values[3];
                angle_values(values, u[b], &t, f, hybrid);
                for (int k = 0; k < 2 + hybrid; k++)
                    parts[0] = lanes_fma(lanes_set(weights[plain_row(f, m, k)]), values[k], parts[0]);
                for (int l = 0; l < r; l++)
                    for (int k = 0; k < 3; k++)
                        parts[1 + l] = lanes_fma(lanes_set(weights[side_row(f, m, k, l, r)]), values[k], parts[1 + l]);
            }
        }
        // the sides of the key are multiplied last, once a plane
        for (int l = 0; l < r; l++) parts[0] = lanes_fma(angle_side(&t, size, stride, f, l), parts[1 + l], parts[0]);
        store_tokens(scores + j, parts[0], t.left);
    }
}

// The features themselves, each written where the sums have it.
WIDE void angle_features(float *features, int features_stride, const float *x, int n, int stride, const sac_features *f,
                         bool hybrid, int r)
{
    for (int i = 0; i < n; i += SAC_LANES)
    {
        angle_tokens t = angle_load(x + i, f->size, stride, n - i, f);
        lanes sides[SAC_MAX_DIRECTIONS], u, values[3];
        for (int l = 0; l < r; l++) sides[l] = angle_side(&t, f->size, stride, f, l);
        for (int m = 0; m < f->count; m++)
        {
            project_features(&u, f, t.x, f->size, stride, t.left, m, 1);
            angle_values(values, u, &t, f, hybrid);
            for (int k = 0; k < 2 + hybrid; k++)
                store_tokens(features + plain_row(f, m, k) * features_stride + i, values[k], t.left);
            for (int l = 0; l < r; l++)
                for (int k = 0; k < 3; k++)
                    store_tokens(features + side_row(f, m, k, l, r) * features_stride + i,
                                 lanes_mul(sides[l], values[k]), t.left);
        }
    }
}

static void wide_trig_sums SAC_SUMS_PARAMETERS
{
    angle_sums(sums, x, n, f->size, stride, f, false, 0);
}

static void wide_trig_scores SAC_SCORES_PARAMETERS
{
    angle_scores(scores, weights, x, n, f->size, stride, f, false, 0);
}

static void wide_trig_features SAC_FEATURES_PARAMETERS
{
    angle_features(features, features_stride, x, n, stride, f, false, 0);
}

static void wide_hybrid_sums SAC_SUMS_PARAMETERS
{
    angle_sums(sums, x, n, f->size, stride, f, true, f->direction_count);
}

static void wide_hybrid_scores SAC_SCORES_PARAMETERS
{
    angle_scores(scores, weights, x, n, f->size, stride, f, true, f->direction_count);
}

static void wide_hybrid_features SAC_FEATURES_PARAMETERS
{
    angle_features(features, features_stride, x, n, stride, f, true, f->direction_count);
}

// Dividing by one number for all, or by one for each column; the latter by its inverse, as scalar.c does.
static void wide_divide(float *out, int out_stride, int rows, float divisor, int n)
{
    for (int r = 0; r < rows; r++, out += out_stride)
        for (int i = 0; i < n; i += SAC_LANES)
            store_tokens(out + i, lanes_div(load_tokens(out + i, n - i), lanes_set(divisor)), n - i);
}

static void wide_divide_rows(float *out, int out_stride, int rows, const float *divisors, float epsilon, int n)
{
    lanes zero = lanes_set(0.0f);
    for (int i = 0; i < n; i += SAC_LANES)
    {
        int left = n - i;
        lanes divisor = lanes_add(load_tokens(divisors + i, left), lanes_set(epsilon));
        lanes inverse = lanes_div(lanes_set(1.0f), divisor);
        for (int r = 0; r < rows; r++)
        {
            lanes value = lanes_mul(load_tokens(out + r * out_stride + i, left), inverse);
            value = lanes_choose(lanes_equal(divisor, zero), zero, value);
            store_tokens(out + r * out_stride + i, value, left);
        }
    }
}

static void wide_normalise(float *out, int out_stride, const float *x, int size, int n, int stride)
{
    for (int i = 0; i < n; i += SAC_LANES)
    {
        int left = n - i;
        lanes zero = lanes_set(0.0f), norm = zero;
        for (int d = 0; d < size; d++)
        {
            lanes value = load_tokens(x + d * stride + i, left);
            norm = lanes_fma(value, value, norm);
        }
        // A sum of squares is never below zero. NaN stays.
        norm = lanes_choose(lanes_less(zero, norm), lanes_sqrt(norm), lanes_add(norm, lanes_set(1.0f)));
        for (int d = 0; d < size; d++)
            store_tokens(out + d * out_stride + i, lanes_div(load_tokens(x + d * stride + i, left), norm), left);
    }
}

static void maps_add(sac_kernels *k)
{
#define ADD(name)                                                                 \
    k->name##_sums = wide_##name##_sums, k->name##_scores = wide_##name##_scores, \
    k->name##_features = wide_##name##_features
    ADD(relu);
    ADD(exp);
    ADD(square);
    ADD(trig);
    ADD(hybrid);
#undef ADD
    k->divide = wide_divide;
    k->divide_rows = wide_divide_rows;
    k->normalise = wide_normalise;
}
