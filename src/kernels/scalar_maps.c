#include <math.h>

#include "kernels/elementary.h"
#include "kernels/kernels.h"

/// The definition of the maps of tokens to features.

#define X(name, parameters) void sac_##name##_scalar parameters;
SAC_KERNEL_LIST(X)
#undef X

// w . x over a planar column
static float linear_of(const float *w, const float *x, int size, int stride)
{
    float u = w[0] * x[0];
    for (int d = 1; d < size; d++) u = fmaf(w[d], x[d * stride], u);
    return u;
}

// u_m: with a matrix the m-th random projection of the token, without one its m-th number
static float projection(const sac_features *f, int m, const float *x, int stride)
{
    return f->matrix ? linear_of(f->matrix + m * f->size, x, f->size, stride) : x[m * stride] * f->factor;
}

static float square_norm(const sac_features *f, const float *x, int stride)
{
    float norm = x[0] * x[0];
    for (int d = 1; d < f->size; d++) norm = fmaf(x[d * stride], x[d * stride], norm);
    return norm;
}

// ReLU features: a kernel of their own, no estimate of softmax (Choromanski et al. 2021, "Rethinking Attention with
// Performers", generalised attention)
static float relu_feature(const sac_features *f, int m, const float *x, int stride)
{
    return sac_max(0.0f, projection(f, m, x, stride));
}

// Positive random features of the softmax kernel (Performers, lemma 1): exp(w . x - |x|^2 / 2), which is never
// negative. The factor of log2(e), with which 2^x gives e^x, is part of the matrix and of `square`.
static float exp_feature(const sac_features *f, int m, const float *x, int stride)
{
    return sac_exp2(fmaf(f->square, square_norm(f, x, stride), projection(f, m, x, stride)));
}

// (w . x)^2, the map of `sara-square`
static float square_feature(const sac_features *f, int m, const float *x, int stride)
{
    float u = projection(f, m, x, stride);
    return u * u;
}

// Random Fourier features (Rahimi and Recht 2007), times exp(|x|^2 / 2), which turns the Gaussian kernel into that of
// softmax: rows 2m and 2m + 1 are the sine and the cosine of the m-th projection. `square` is negative for these forms.
static float trig_feature(const sac_features *f, int row, const float *x, int stride)
{
    float sine, cosine, length = sac_exp2(-(f->square * square_norm(f, x, stride)));
    sac_sin_cos(projection(f, row / 2, x, stride) * f->turn, &sine, &cosine);
    return (row % 2 ? cosine : sine) * length;
}

// Tells on which side of plane l the token lies: 1 or -1.
static float sign(const sac_features *f, int l, const float *x, int stride)
{
    return linear_of(f->directions + l * f->size, x, f->size, stride) < 0 ? -1.0f : 1.0f;
}

// Hybrid random features (Choromanski et al. 2021, "Unlocking Pixels for Reinforcement Learning via Implicit
// Attention", first version, equation 9): both maps above, and both once more for each plane, times the token's sign
// there. The products of two signs estimate the angle between query and key, which decides between the two estimates.
static float hybrid_feature(const sac_features *f, int row, const float *x, int stride)
{
    int m = f->count, r = f->direction_count;
    if (row < 2 * m) return trig_feature(f, row, x, stride);
    if (row < 3 * m) return exp_feature(f, row - 2 * m, x, stride);
    row -= 3 * m;
    if (row < 2 * m * r) return sign(f, row / 2 % r, x, stride) * trig_feature(f, row / 2 / r * 2 + row % 2, x, stride);
    row -= 2 * m * r;
    return sign(f, row % r, x, stride) * exp_feature(f, row / r, x, stride);
}

typedef float feature_fn(const sac_features *f, int row, const float *x, int stride);

// Token i goes to lane i % SAC_LANES of each row's partial sums.
static void add_features(float *sums, const float *x, int n, int stride, const sac_features *f, int rows,
                         feature_fn *phi)
{
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < n; i++) sums[row * SAC_LANES + i % SAC_LANES] += phi(f, row, x + i, stride);
}

// The rows are added in their order, because a token's score is one sum.
static void score_features(float *scores, const float *weights, const float *x, int n, int stride,
                           const sac_features *f, int rows, feature_fn *phi)
{
    for (int j = 0; j < n; j++)
    {
        float score = 0;
        for (int row = 0; row < rows; row++) score = fmaf(weights[row], phi(f, row, x + j, stride), score);
        scores[j] = score;
    }
}

static void write_features(float *features, int features_stride, const float *x, int n, int stride,
                           const sac_features *f, int rows, feature_fn *phi)
{
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < n; i++) features[row * features_stride + i] = phi(f, row, x + i, stride);
}

#define SUMS(name, rows)                                           \
    void sac_##name##_sums_scalar SAC_SUMS_PARAMETERS              \
    {                                                              \
        add_features(sums, x, n, stride, f, rows, name##_feature); \
    }
#define SCORES(name, rows)                                                      \
    void sac_##name##_scores_scalar SAC_SCORES_PARAMETERS                       \
    {                                                                           \
        score_features(scores, weights, x, n, stride, f, rows, name##_feature); \
    }
#define FEATURES(name, rows)                                                              \
    void sac_##name##_features_scalar SAC_FEATURES_PARAMETERS                             \
    {                                                                                     \
        write_features(features, features_stride, x, n, stride, f, rows, name##_feature); \
    }
#define MAP(name, rows) SUMS(name, rows) SCORES(name, rows) FEATURES(name, rows)

MAP(relu, f->count)
MAP(exp, f->count)
MAP(square, f->count)
MAP(trig, 2 * f->count)
SUMS(hybrid, 3 * f->count * (1 + f->direction_count))
FEATURES(hybrid, 3 * f->count * (1 + f->direction_count))

// sum_l s_l g_l with s_0 = 1 and g_l the score of (trig, exp) with the weights of plane l
void sac_hybrid_scores_scalar SAC_SCORES_PARAMETERS
{
    int m = f->count, r = f->direction_count;
    const float *alpha = weights + 3 * m, *beta = alpha + 2 * m * r;
    for (int j = 0; j < n; j++)
    {
        float parts[1 + SAC_MAX_DIRECTIONS] = {0};
        for (int i = 0; i < m; i++)
        {
            float sine = trig_feature(f, 2 * i, x + j, stride), cosine = trig_feature(f, 2 * i + 1, x + j, stride);
            float power = exp_feature(f, i, x + j, stride);
            parts[0] = fmaf(weights[2 * i], sine, parts[0]);
            parts[0] = fmaf(weights[2 * i + 1], cosine, parts[0]);
            parts[0] = fmaf(weights[2 * m + i], power, parts[0]);
            for (int l = 0; l < r; l++)
            {
                float part = fmaf(alpha[2 * (i * r + l)], sine, parts[1 + l]);
                part = fmaf(alpha[2 * (i * r + l) + 1], cosine, part);
                parts[1 + l] = fmaf(beta[i * r + l], power, part);
            }
        }
        scores[j] = parts[0];
        for (int l = 0; l < r; l++) scores[j] = fmaf(sign(f, l, x + j, stride), parts[1 + l], scores[j]);
    }
}

void sac_divide_scalar(float *out, int out_stride, int rows, float divisor, int n)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < n; i++) out[(size_t)r * (size_t)out_stride + (size_t)i] /= divisor;
}

// One division a column and a product a row: cheaper than a division each, and rounded in the same way on all levels.
void sac_divide_rows_scalar(float *out, int out_stride, int rows, const float *divisors, float epsilon, int n)
{
    for (int i = 0; i < n; i++)
    {
        float divisor = divisors[i] + epsilon, inverse = 1.0f / divisor;
        for (int r = 0; r < rows; r++) out[r * out_stride + i] = divisor == 0 ? 0 : out[r * out_stride + i] * inverse;
    }
}

// A column of zeros has no direction and stays zero.
void sac_normalise_scalar(float *out, int out_stride, const float *x, int size, int n, int stride)
{
    for (int i = 0; i < n; i++)
    {
        float norm = 0;
        for (int d = 0; d < size; d++) norm = fmaf(x[d * stride + i], x[d * stride + i], norm);
        norm = norm == 0 ? 1 : sqrtf(norm);
        for (int d = 0; d < size; d++) out[d * out_stride + i] = x[d * stride + i] / norm;
    }
}
