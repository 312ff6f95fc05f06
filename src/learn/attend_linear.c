#include <string.h>

#include "learn/layer.h"

/// Linear attention: out = phi(q) S / (phi(q) . z + epsilon), S = phi(k)^T v [F, V], z = sum phi(k) [F], with a map of
/// learned or given matrix W [M, D] and gains [F] a side (Leal et al., SARA-RT, equations 3 and 4): phi = gains f(W x).

// Part 1 computes the features of one token.

static float sign_of(const sac_map_side *s, int r, const float *x)
{
    return row_dot(s->directions + (ptrdiff_t)r * s->size, x, s->size) >= 0.0f ? 1.0f : -1.0f;
}

// (sin u, cos u) times `factor`, [M, 2]
static inline void waves(float *restrict phi, const float *restrict u, float factor, int count)
{
    for (int m = 0; m < count; m++)
    {
        float sine, cosine;
        sac_sin_cos(u[m] * 0.636619772f, &sine, &cosine);
        phi[2 * m] = factor * sine;
        phi[2 * m + 1] = factor * cosine;
    }
}

static inline void powers(float *restrict phi, const float *restrict u, float shift, int count)
{
    for (int m = 0; m < count; m++) phi[m] = sac_exp(u[m] - shift);
}

// phi [F] without gains of u [M] = W x; half = |x|^2 / 2 where the map has it
static void map_token(const sac_map_side *s, float *restrict phi, const float *restrict u, const float *x, float half)
{
    const int count = s->count;
    switch (s->phi)
    {
    case SAC_PHI_RELU:
        for (int m = 0; m < count; m++) phi[m] = sac_max(u[m], 0.0f);
        break;
    case SAC_PHI_SQUARE:
        for (int m = 0; m < count; m++) phi[m] = u[m] * u[m];
        break;
    case SAC_PHI_EXP:
    case SAC_PHI_POSITIVE: powers(phi, u, half, count); break;
    case SAC_PHI_TRIG: waves(phi, u, sac_exp(half), count); break;
    case SAC_PHI_HYBRID:
        waves(phi, u, sac_exp(half), count);
        powers(phi + 2 * count, u, half, count);
        for (int r = 0; r < s->direction_count; r++)
        {
            float sign = sign_of(s, r, x);
            float *alpha = phi + 3 * count, *beta = alpha + 2 * count * s->direction_count;
            for (int m = 0; m < count; m++)
            {
                int at = m * s->direction_count + r;
                alpha[2 * at] = sign * phi[2 * m];
                alpha[2 * at + 1] = sign * phi[2 * m + 1];
                beta[at] = sign * phi[2 * count + m];
            }
        }
        break;
    }
}

// Adds the gradients of the signed features to those of the unsigned ones that they copy.
static void fold_signs(const sac_map_side *s, float *dphi, const float *x)
{
    const int count = s->count;
    const float *alpha = dphi + 3 * count, *beta = alpha + 2 * count * s->direction_count;
    for (int r = 0; r < s->direction_count; r++)
    {
        float sign = sign_of(s, r, x);
        for (int m = 0; m < count; m++)
        {
            int at = m * s->direction_count + r;
            dphi[2 * m] = fmaf(sign, alpha[2 * at], dphi[2 * m]);
            dphi[2 * m + 1] = fmaf(sign, alpha[2 * at + 1], dphi[2 * m + 1]);
            dphi[2 * count + m] = fmaf(sign, beta[at], dphi[2 * count + m]);
        }
    }
}

static inline void waves_backward(float *restrict du, const float *restrict dphi, const float *restrict phi, int count)
{
    for (int m = 0; m < count; m++) du[m] = fmaf(dphi[2 * m], phi[2 * m + 1], -(dphi[2 * m + 1] * phi[2 * m]));
}

// u [M] is overwritten by the gradient with respect to u; dphi [F] is the gradient with respect to phi before the
// gains. @return the gradient with respect to half
static float map_token_backward(const sac_map_side *s, float *restrict u, float *dphi, const float *phi, const float *x)
{
    const int count = s->count;
    float half = 0.0f;
    switch (s->phi)
    {
    case SAC_PHI_RELU: // max(u, 0)
        for (int m = 0; m < count; m++) u[m] = u[m] > 0.0f ? dphi[m] : 0.0f;
        break;
    case SAC_PHI_SQUARE: // u^2
        for (int m = 0; m < count; m++) u[m] = 2.0f * u[m] * dphi[m];
        break;
    case SAC_PHI_EXP:
    case SAC_PHI_POSITIVE: // exp(u - half)
        for (int m = 0; m < count; m++) u[m] = dphi[m] * phi[m];
        if (s->phi == SAC_PHI_POSITIVE) half = -row_total(u, count);
        break;
    case SAC_PHI_TRIG: // exp(half) (sin u, cos u)
        waves_backward(u, dphi, phi, count);
        half = row_dot(dphi, phi, 2 * count);
        break;
    case SAC_PHI_HYBRID: // both, and both times signs
        fold_signs(s, dphi, x);
        waves_backward(u, dphi, phi, count);
        half = row_dot(dphi, phi, 2 * count) - row_dot(dphi + 2 * count, phi + 2 * count, count);
        for (int m = 0; m < count; m++) u[m] = fmaf(dphi[2 * count + m], phi[2 * count + m], u[m]);
        break;
    }
    return half;
}

static bool map_has_half(const sac_map_side *s)
{
    return s->phi == SAC_PHI_POSITIVE || s->phi == SAC_PHI_TRIG || s->phi == SAC_PHI_HYBRID;
}

static float map_half(const sac_map_side *s, const float *x)
{
    return map_has_half(s) ? 0.5f * row_dot(x, x, s->size) : 0.0f;
}

// Part 2 computes the features of one side's tokens x [n, D].

// u [n, M] = x W^T
static void map_products(const sac_learn *l, const sac_map_side *s, float *u, const float *x, ptrdiff_t row, int n)
{
    for (int i = 0; !s->matrix && i < n; i++)
        memcpy(u + (ptrdiff_t)i * s->count, x + i * row, (size_t)s->count * sizeof *u);
    if (s->matrix)
        layer_gemm(l, (sac_gemm){.rows = n,
                                 .columns = s->count,
                                 .inner = s->size,
                                 .a = x,
                                 .a_row = row,
                                 .a_column = 1,
                                 .b = s->matrix,
                                 .b_row = 1,
                                 .b_column = s->size,
                                 .out = u,
                                 .out_row = s->count});
}

static inline void multiply(float *restrict x, const float *restrict y, int count)
{
    for (int i = 0; i < count; i++) x[i] *= y[i];
}

// phi [n, F]; u: scratch [n, M]
static void map_forward(const sac_learn *l, const sac_map_side *s, float *phi, const float *x, ptrdiff_t row, int n,
                        float *u)
{
    const int features = sac_map_features(s);
    map_products(l, s, u, x, row, n);
    for (int i = 0; i < n; i++, phi += features)
    {
        map_token(s, phi, u + (ptrdiff_t)i * s->count, x + i * row, map_half(s, x + i * row));
        if (s->gains) multiply(phi, s->gains, features);
    }
}

// Gradient with respect to x, W and gains of gains f(W x). dphi [n, F] is spent; u, half, phi: scratch [n, M], [n], [F]
static void map_backward(const sac_learn *l, const sac_map_side *s, float *dx, const sac_map_gradients *to, float *dphi,
                         const float *x, ptrdiff_t row, int n, float *u, float *half, float *phi)
{
    const int features = sac_map_features(s), count = s->count;
    map_products(l, s, u, x, row, n);
    for (int i = 0; i < n; i++)
    {
        float *d = dphi + (ptrdiff_t)i * features, *at = u + (ptrdiff_t)i * count;
        const float *token = x + i * row;
        map_token(s, phi, at, token, map_half(s, token));
        if (to && to->gains)
            for (int f = 0; f < features; f++) to->gains[f] = fmaf(d[f], phi[f], to->gains[f]);
        if (s->gains) multiply(d, s->gains, features);
        half[i] = map_token_backward(s, at, d, phi, token);
    }
    // gradient with respect to W and x of u = W x
    if (to && to->matrix)
        layer_gemm(l, (sac_gemm){.rows = count,
                                 .columns = s->size,
                                 .inner = n,
                                 .a = u,
                                 .a_row = 1,
                                 .a_column = count,
                                 .b = x,
                                 .b_row = row,
                                 .b_column = 1,
                                 .out = to->matrix,
                                 .out_row = s->size,
                                 .add = true});
    for (int i = 0; !s->matrix && i < n; i++)
        memcpy(dx + i * row, u + (ptrdiff_t)i * count, (size_t)count * sizeof *dx);
    if (s->matrix)
        layer_gemm(l, (sac_gemm){.rows = n,
                                 .columns = s->size,
                                 .inner = count,
                                 .a = u,
                                 .a_row = count,
                                 .a_column = 1,
                                 .b = s->matrix,
                                 .b_row = s->size,
                                 .b_column = 1,
                                 .out = dx,
                                 .out_row = row});
    // gradient with respect to x of half = |x|^2 / 2
    for (int i = 0; map_has_half(s) && i < n; i++)
        for (int d = 0; d < s->size; d++) dx[i * row + d] = fmaf(half[i], x[i * row + d], dx[i * row + d]);
}

// Part 3 computes one head.

// Forward keeps of a head: features [M, F] and [N, F], S [F, V], z [F], 1 / denominator [M]
typedef struct head
{
    int features;
    float *query, *key, *sums, *total, *inverse;
} head;

static head head_of(const sac_attend *a, int features, float *kept)
{
    const ptrdiff_t f = features;
    head h = {.features = features, .query = kept};
    h.key = h.query + f * a->queries;
    h.sums = h.key + f * a->keys;
    h.total = h.sums + f * a->value_size;
    h.inverse = h.total + f;
    return h;
}

// out [rows, V] = x [rows, F] sums [F, V]
static void times_sums(const sac_learn *l, float *out, ptrdiff_t out_row, const float *x, const float *sums, int rows,
                       int features, int size)
{
    layer_gemm(l, (sac_gemm){.rows = rows,
                             .columns = size,
                             .inner = features,
                             .a = x,
                             .a_row = features,
                             .a_column = 1,
                             .b = sums,
                             .b_row = size,
                             .b_column = 1,
                             .out = out,
                             .out_row = out_row});
}

// out [rows, F] = x [rows, V] sums [F, V]^T
static void times_turned_sums(const sac_learn *l, float *out, const float *x, ptrdiff_t x_row, const float *sums,
                              int rows, int features, int size)
{
    layer_gemm(l, (sac_gemm){.rows = rows,
                             .columns = features,
                             .inner = size,
                             .a = x,
                             .a_row = x_row,
                             .a_column = 1,
                             .b = sums,
                             .b_row = 1,
                             .b_column = size,
                             .out = out,
                             .out_row = features});
}

// sums [F, V] = features [rows, F]^T x [rows, V]
static void contract(const sac_learn *l, float *sums, const float *features, const float *x, ptrdiff_t x_row, int rows,
                     int count, int size)
{
    layer_gemm(l, (sac_gemm){.rows = count,
                             .columns = size,
                             .inner = rows,
                             .a = features,
                             .a_row = 1,
                             .a_column = count,
                             .b = x,
                             .b_row = x_row,
                             .b_column = 1,
                             .out = sums,
                             .out_row = size});
}

void LAYER(attend_linear_forward)(const sac_learn *l, const sac_attend *a, const sac_map_side *query_map,
                                  const sac_map_side *key_map, float epsilon, float *out, float *kept, const float *q,
                                  const float *k, const float *v, float *workspace)
{
    const int features = sac_map_features(query_map), size = a->value_size;
    SAC_ASSERT(features == sac_map_features(key_map));
    for (int i = 0; i < a->heads; i++, q += a->size, k += a->size, v += size, out += size)
    {
        head h = head_of(a, features, kept);
        map_forward(l, query_map, h.query, q, a->query_row, a->queries, workspace);
        map_forward(l, key_map, h.key, k, a->key_row, a->keys, workspace);
        // S = phi(k)^T v, z = sum phi(k)
        contract(l, h.sums, h.key, v, a->value_row, a->keys, features, size);
        memset(h.total, 0, (size_t)features * sizeof *h.total);
        add_columns(h.total, h.key, a->keys, features);
        // out = phi(q) S / (phi(q) . z + epsilon)
        times_sums(l, out, a->out_row, h.query, h.sums, a->queries, features, size);
        for (int n = 0; n < a->queries; n++)
        {
            float *row = out + n * a->out_row;
            float inverse = 1.0f / (row_dot(h.query + (ptrdiff_t)n * features, h.total, features) + epsilon);
            for (int j = 0; j < size; j++) row[j] *= inverse;
            h.inverse[n] = inverse;
        }
        kept = h.inverse + a->queries;
    }
}

// workspace of backward
typedef struct room
{
    float *u, *dphi, *half, *dnumerator, *ddivisor, *dsums, *dtotal, *phi;
} room;

static room room_of(const sac_attend *a, const sac_map_side *query_map, const sac_map_side *key_map, float *at)
{
    const ptrdiff_t n = a->queries > a->keys ? a->queries : a->keys, f = sac_map_features(query_map);
    const ptrdiff_t count = query_map->count > key_map->count ? query_map->count : key_map->count;
    room r = {.u = at};
    r.dphi = r.u + n * count;
    r.half = r.dphi + n * f;
    r.dnumerator = r.half + n;
    r.ddivisor = r.dnumerator + n * a->value_size;
    r.dsums = r.ddivisor + n;
    r.dtotal = r.dsums + f * a->value_size;
    r.phi = r.dtotal + f;
    return r;
}

static inline void add_scaled(float *restrict out, float factor, const float *restrict x, int count)
{
    for (int i = 0; i < count; i++) out[i] = fmaf(factor, x[i], out[i]);
}

// Gradient with respect to both of out = numerator / divisor: dnumerator [M, V] and ddivisor [M]
static void quotient_backward(const sac_attend *a, const head *h, const room *r, const float *dout, const float *out)
{
    const int size = a->value_size;
    for (int n = 0; n < a->queries; n++)
    {
        const float *d = dout + n * a->out_row;
        float *to = r->dnumerator + (ptrdiff_t)n * size;
        for (int j = 0; j < size; j++) to[j] = d[j] * h->inverse[n];
        r->ddivisor[n] = -row_dot(to, out + n * a->out_row, size);
    }
}

void LAYER(attend_linear_backward)(const sac_learn *l, const sac_attend *a, const sac_map_side *query_map,
                                   const sac_map_side *key_map, float *dq, float *dk, float *dv,
                                   const sac_map_gradients *dquery_map, const sac_map_gradients *dkey_map,
                                   const float *dout, const float *out, const float *kept, const float *q,
                                   const float *k, const float *v, float *workspace)
{
    const int features = sac_map_features(query_map), size = a->value_size;
    room r = room_of(a, query_map, key_map, workspace);
    for (int i = 0; i < a->heads; i++)
    {
        const ptrdiff_t at = (ptrdiff_t)i * a->size, value = (ptrdiff_t)i * size;
        head h = head_of(a, features, (float *)kept);
        quotient_backward(a, &h, &r, dout + value, out + value);
        // gradient with respect to phi(q), S and z of numerator = phi(q) S, divisor = phi(q) . z + epsilon
        contract(l, r.dsums, h.query, r.dnumerator, size, a->queries, features, size);
        memset(r.dtotal, 0, (size_t)features * sizeof *r.dtotal);
        times_turned_sums(l, r.dphi, r.dnumerator, size, h.sums, a->queries, features, size);
        for (int n = 0; n < a->queries; n++)
        {
            add_scaled(r.dtotal, r.ddivisor[n], h.query + (ptrdiff_t)n * features, features);
            add_scaled(r.dphi + (ptrdiff_t)n * features, r.ddivisor[n], h.total, features);
        }
        map_backward(l, query_map, dq + at, dquery_map, r.dphi, q + at, a->query_row, a->queries, r.u, r.half, r.phi);
        // gradient with respect to v and phi(k) of S = phi(k)^T v, z = sum phi(k)
        times_sums(l, dv + value, a->value_row, h.key, r.dsums, a->keys, features, size);
        times_turned_sums(l, r.dphi, v + value, a->value_row, r.dsums, a->keys, features, size);
        for (int n = 0; n < a->keys; n++) add_scaled(r.dphi + (ptrdiff_t)n * features, 1.0f, r.dtotal, features);
        map_backward(l, key_map, dk + at, dkey_map, r.dphi, k + at, a->key_row, a->keys, r.u, r.half, r.phi);
        kept = h.inverse + a->queries;
    }
}
