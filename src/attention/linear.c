#include <math.h>

#include "attention/form.h"

/// relu and positive: A_ij = phi(q_i).phi(k_j), so importance[j] = (1/N) phi(k_j).z with z = sum_i phi(q_i): two
/// passes, and the features are never written out.

// the sums: a vector of M floats
static size_t workspace_size(const sac_attention *a, int n)
{
    (void)n;
    return (size_t)sac_round_up(a->features.count) * sizeof(float);
}

static void scale_sums(float *sums, int count, double factor)
{
    for (int m = 0; m < count; m++) sums[m] = (float)(sums[m] * factor);
}

// phi(sqrt(s) x) = sqrt(s) phi(x), on both sides
static void relu_importance(const sac_attention *a, float *out, const float *queries, const float *keys, int n,
                            int stride, void *workspace)
{
    float *sums = workspace;
    a->kernels.relu_sums(sums, queries, n, stride, &a->features);
    scale_sums(sums, a->features.count, a->scale / n);
    a->kernels.relu_scores(out, sums, keys, n, stride, &a->features);
}

static void relu_row(const sac_attention *a, float *weights, int row, const float *queries, const float *keys, int n,
                     int stride, void *workspace)
{
    float *sums = workspace;
    a->kernels.relu_sums(sums, queries + row, 1, stride, &a->features);
    scale_sums(sums, a->features.count, a->scale);
    a->kernels.relu_scores(weights, sums, keys, n, stride, &a->features);
}

// phi(x) = exp(W y - |y|^2 / 2) as a power of two of x, y = sqrt(scale) x
static const double log2_e = 1.4426950408889634;
static double positive_matrix_factor(double scale)
{
    return sqrt(scale) * log2_e;
}
static double positive_square_factor(double scale)
{
    return -0.5 * scale * log2_e;
}

// phi holds 1/sqrt(M) on both sides
static void positive_importance(const sac_attention *a, float *out, const float *queries, const float *keys, int n,
                                int stride, void *workspace)
{
    float *sums = workspace;
    a->kernels.exp_sums(sums, queries, n, stride, &a->features);
    scale_sums(sums, a->features.count, 1.0 / n / a->features.count);
    a->kernels.exp_scores(out, sums, keys, n, stride, &a->features);
}

static void positive_row(const sac_attention *a, float *weights, int row, const float *queries, const float *keys,
                         int n, int stride, void *workspace)
{
    float *sums = workspace;
    a->kernels.exp_sums(sums, queries + row, 1, stride, &a->features);
    scale_sums(sums, a->features.count, 1.0 / a->features.count);
    a->kernels.exp_scores(weights, sums, keys, n, stride, &a->features);
}

const sac_attention_form sac_attention_relu = {
    .name = "relu",
    .summary = "rectified features, a kernel of its own; time grows with the tokens",
    .has_features = true,
    .allows_identity = true,
    .fallback_scale = 1,
    .workspace_size = workspace_size,
    .importance = relu_importance,
    .row = relu_row,
};

const sac_attention_form sac_attention_positive = {
    .name = "positive",
    .summary = "positive random features, an unbiased estimate of the softmax kernel; time grows with the tokens",
    .has_features = true,
    .matrix_factor = positive_matrix_factor,
    .square_factor = positive_square_factor,
    .workspace_size = workspace_size,
    .importance = positive_importance,
    .row = positive_row,
};
