#include "attention/form.h"
#include "attention/forms/softmax_kernel.h"

// phi(x) = exp(W y - |y|^2 / 2) / sqrt(M): Choromanski et al. 2021 (Unlocking Pixels, first version), equation 6

static int feature_size(const sac_features *f)
{
    return f->count;
}

static void prepare(sac_attention *a, const sac_attention_def *def)
{
    (void)def;
    for (int side = 0; side < 2; side++)
        for (int f = 0; f < a->feature_size; f++) a->gains[side][f] = sqrt(1.0 / a->feature_size);
    SAC_USE_MAP(a, exp);
}

static const sac_map map = {.matrix_factor = sac_log2_matrix_factor,
                            .square_factor = sac_log2_square_factor,
                            .feature_size = feature_size,
                            .prepare = prepare};

const sac_attention_form sac_attention_positive = {
    .name = "positive",
    .summary = "positive random features, an unbiased estimate of the softmax kernel; time grows with the tokens",
    .map = &map,
    SAC_LINEAR_FORM,
};
