#include <math.h>

#include "attention/form.h"

// phi(x) = exp(W y - |y|^2 / 2) / sqrt(M) as a power of two of x, y = sqrt(scale) x

static const double log2_e = 1.4426950408889634;

static double matrix_factor(double scale)
{
    return sqrt(scale) * log2_e;
}

static double square_factor(double scale)
{
    return -0.5 * scale * log2_e;
}

static int feature_size(const sac_features *f)
{
    return f->count;
}

static void prepare(sac_attention *a, const sac_attention_def *def)
{
    (void)def;
    for (int side = 0; side < 2; side++)
        for (int f = 0; f < a->feature_size; f++) a->gains[side][f] = sqrt(1.0 / a->feature_size);
    a->map = a->kernels.exp_features;
    a->map_sums = a->kernels.exp_sums;
    a->map_scores = a->kernels.exp_scores;
}

static const sac_map map = {
    .matrix_factor = matrix_factor, .square_factor = square_factor, .feature_size = feature_size, .prepare = prepare};

const sac_attention_form sac_attention_positive = {
    .name = "positive",
    .summary = "positive random features, an unbiased estimate of the softmax kernel; time grows with the tokens",
    .map = &map,
    SAC_LINEAR_FORM,
};
