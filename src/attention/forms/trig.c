#include "attention/form.h"
#include "attention/forms/softmax_kernel.h"

// phi(x) = exp(|y|^2 / 2) (sin w_1.y, cos w_1.y, sin w_2.y, ...) / sqrt(M): Choromanski et al. 2021 (Unlocking Pixels,
// second version), equation 5

static int feature_size(const sac_features *f)
{
    return 2 * f->count;
}

static void prepare(sac_attention *a, const sac_attention_def *def)
{
    (void)def;
    for (int side = 0; side < 2; side++)
    {
        a->features[side].turn = (float)sac_log2_turn;
        for (int f = 0; f < a->feature_size; f++) a->gains[side][f] = sqrt(1.0 / a->features[side].count);
    }
    SAC_USE_MAP(a, trig);
}

static const sac_map map = {.has_signs = true,
                            .matrix_factor = sac_log2_matrix_factor,
                            .square_factor = sac_log2_square_factor,
                            .feature_size = feature_size,
                            .prepare = prepare};

const sac_attention_form sac_attention_trig = {
    .name = "trig",
    .summary = "sines and cosines, an unbiased estimate of the softmax kernel that is best for tokens alike",
    .map = &map,
    SAC_LINEAR_FORM,
};
