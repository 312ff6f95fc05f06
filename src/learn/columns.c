#include "learn/layer.h"

/// Tokens as attention has them: planar, x [D, stride], a column a token, N columns in use. Forward is attention's own
/// (kernels.h): columns of length 1, and maps phi; here is what goes back through them.

static const float ln2 = 0.693147181f, quarter_turn = 1.57079633f;

static inline void add_products(float *restrict sum, const float *restrict a, const float *restrict b, int n)
{
    for (int i = 0; i < n; i++) sum[i] = fmaf(a[i], b[i], sum[i]);
}

void LAYER(unit_columns_backward)(const sac_learn *l, float *dx, const float *dout, const float *x, int size, int n,
                                  int stride, float *workspace)
{
    (void)l;
    float *restrict inverse = workspace, *restrict along = workspace + stride;
    memset(workspace, 0, 2 * (size_t)stride * sizeof *workspace);
    for (int d = 0; d < size; d++)
    {
        add_products(inverse, x + d * stride, x + d * stride, n);
        add_products(along, x + d * stride, dout + d * stride, n);
    }
    // Gradient with respect to x of x / |x|: nothing of it lies along x, because the length cannot change. A column of
    // zeros has a gradient of zeros.
    for (int i = 0; i < n; i++)
    {
        inverse[i] = inverse[i] > 0.0f ? 1.0f / sqrtf(inverse[i]) : 0.0f;
        along[i] *= inverse[i] * inverse[i];
    }
    for (int d = 0; d < size; d++, dx += stride, dout += stride, x += stride)
        for (int i = 0; i < n; i++) dx[i] = inverse[i] * fmaf(-along[i], x[i], dout[i]);
}

// The arrays of a map: du [M, stride] is the gradient with respect to u = W x; it is computed from phi, the features
// with their gains, and from dphi, the gradient with respect to those.
typedef struct rows
{
    float *restrict du, *restrict dphi;
    const float *restrict phi;
    int n, stride;
} rows;

static void relu_rows(rows r, const sac_column_map *map)
{
    for (int m = 0; m < map->features->count; m++, r.du += r.stride, r.dphi += r.stride, r.phi += r.stride)
    {
        const float gain = (float)map->gains[m];
        for (int i = 0; i < r.n; i++) r.du[i] = r.phi[i] * gain > 0.0f ? r.dphi[i] * gain : 0.0f;
    }
}

// On entry du holds u; it is overwritten by the gradient.
static void square_rows(rows r, const sac_column_map *map)
{
    for (int m = 0; m < map->features->count; m++, r.du += r.stride, r.dphi += r.stride)
    {
        const float gain = 2.0f * (float)map->gains[m];
        for (int i = 0; i < r.n; i++) r.du[i] *= r.dphi[i] * gain;
    }
}

// phi = gain 2^(u + square |x|^2); `half` sums the gradient with respect to square |x|^2
static void power_rows(rows r, int count, float *restrict half, bool add)
{
    for (int m = 0; m < count; m++, r.du += r.stride, r.dphi += r.stride, r.phi += r.stride)
        for (int i = 0; i < r.n; i++)
        {
            float d = ln2 * (r.dphi[i] * r.phi[i]);
            r.du[i] = add ? r.du[i] + d : d;
            half[i] += d;
        }
}

// Random Fourier features (Rahimi and Recht 2007): each pair of rows is gain 2^(-square |x|^2) times the sine and the
// cosine of the angle of turn u quarter turns.
static void wave_rows(rows r, int count, float turn, float *restrict half)
{
    for (int m = 0; m < count; m++, r.du += r.stride, r.dphi += 2 * r.stride, r.phi += 2 * r.stride)
    {
        const float *restrict cosine = r.phi + r.stride, *restrict dcosine = r.dphi + r.stride;
        for (int i = 0; i < r.n; i++)
        {
            r.du[i] = turn * fmaf(r.dphi[i], cosine[i], -(dcosine[i] * r.phi[i]));
            half[i] -= ln2 * fmaf(r.dphi[i], r.phi[i], dcosine[i] * cosine[i]);
        }
    }
}

// Hybrid maps: row `from` of the features is a sign, times `share`, times row `to`, so its gradient times both is added
// to that of row `to`. The sign is that of a feature (row `signs`) whose unsigned value is positive, times the sign of
// its gain.
static void fold_row(rows r, int to, int from, int signs, double signs_gain, double share)
{
    float *restrict out = r.dphi + (ptrdiff_t)to * r.stride;
    const float *restrict d = r.dphi + (ptrdiff_t)from * r.stride, *restrict s = r.phi + (ptrdiff_t)signs * r.stride;
    const float plus = (float)(signs_gain > 0 ? share : -share);
    for (int i = 0; i < r.n; i++) out[i] = fmaf(s[i] >= 0.0f ? plus : -plus, d[i], out[i]);
}

static void fold_signs(rows r, const sac_column_map *map)
{
    const int count = map->features->count, directions = map->features->direction_count;
    const int alpha = 3 * count, beta = alpha + 2 * count * directions;
    const double *gains = map->gains;
    for (int m = 0; m < count; m++)
        for (int k = 0; k < directions; k++)
        {
            const int at = m * directions + k, signs = beta + at;
            for (int part = 0; part < 2; part++)
                fold_row(r, 2 * m + part, alpha + 2 * at + part, signs, gains[signs],
                         gains[alpha + 2 * at + part] / gains[2 * m + part]);
            fold_row(r, 2 * count + m, signs, signs, gains[signs], gains[signs] / gains[2 * count + m]);
        }
}

// u [M, stride] = W x
static void products(const sac_learn *l, const sac_features *f, float *u, const float *x, int n, int stride)
{
    for (int d = 0; !f->matrix && d < f->size; d++)
        for (int i = 0; i < n; i++) u[d * stride + i] = f->factor * x[d * stride + i];
    if (f->matrix)
        layer_gemm(l, (sac_gemm){.rows = f->count,
                                 .columns = n,
                                 .inner = f->size,
                                 .a = f->matrix,
                                 .a_row = f->size,
                                 .a_column = 1,
                                 .b = x,
                                 .b_row = stride,
                                 .b_column = 1,
                                 .out = u,
                                 .out_row = stride});
}

// dx = W^T du
static void products_backward(const sac_learn *l, const sac_features *f, float *dx, const float *du, int n, int stride)
{
    for (int d = 0; !f->matrix && d < f->size; d++)
        for (int i = 0; i < n; i++) dx[d * stride + i] = f->factor * du[d * stride + i];
    if (f->matrix)
        layer_gemm(l, (sac_gemm){.rows = f->size,
                                 .columns = n,
                                 .inner = f->count,
                                 .a = f->matrix,
                                 .a_row = 1,
                                 .a_column = f->size,
                                 .b = du,
                                 .b_row = stride,
                                 .b_column = 1,
                                 .out = dx,
                                 .out_row = stride});
}

void LAYER(map_columns_backward)(const sac_learn *l, const sac_column_map *map, float *dx, float *dphi,
                                 const float *phi, const float *x, int n, int stride, float *workspace)
{
    const sac_features *f = map->features;
    float *half = workspace;
    rows r = {workspace + stride, dphi, phi, n, stride}, powers = r;
    memset(half, 0, (size_t)stride * sizeof *half);
    switch (map->phi)
    {
    case SAC_PHI_RELU: relu_rows(r, map); break;
    case SAC_PHI_SQUARE:
        products(l, f, r.du, x, n, stride);
        square_rows(r, map);
        break;
    case SAC_PHI_EXP:
    case SAC_PHI_POSITIVE: power_rows(r, f->count, half, false); break;
    case SAC_PHI_TRIG: wave_rows(r, f->count, quarter_turn * f->turn, half); break;
    case SAC_PHI_HYBRID:
        fold_signs(r, map);
        wave_rows(r, f->count, quarter_turn * f->turn, half);
        powers.dphi += 2 * (ptrdiff_t)f->count * stride;
        powers.phi += 2 * (ptrdiff_t)f->count * stride;
        power_rows(powers, f->count, half, true);
        break;
    }
    products_backward(l, f, dx, r.du, n, stride);
    // gradient with respect to x of square |x|^2
    for (int d = 0; f->square != 0 && d < f->size; d++, dx += stride, x += stride)
        for (int i = 0; i < n; i++) dx[i] = fmaf(2.0f * f->square * half[i], x[i], dx[i]);
}

void LAYER(map_columns_parameters)(const sac_learn *l, const sac_column_map *map, float *dmatrix, float *dgains,
                                   const float *dphi, const float *phi, const float *x, int n, int stride,
                                   const float *workspace)
{
    const sac_features *f = map->features;
    const float *du = workspace + stride;
    // u = W x
    layer_gemm(l, (sac_gemm){.rows = f->count,
                             .columns = f->size,
                             .inner = n,
                             .a = du,
                             .a_row = stride,
                             .a_column = 1,
                             .b = x,
                             .b_row = 1,
                             .b_column = stride,
                             .out = dmatrix,
                             .out_row = f->size,
                             .add = true});
    // phi = gain raw, so the gradient with respect to a gain is dphi . phi / gain. The gain stands on both sides of
    // q.k: if it is zero, the feature contributes nothing to q.k, and the gradient is zero.
    for (int m = 0; m < f->count; m++, dphi += stride, phi += stride)
        if (map->gains[m] != 0) dgains[m] += row_dot(dphi, phi, n) / (float)map->gains[m];
}
