#include <math.h>

#include "attention/form.h"

// phi(x) = max(0, W x). Since phi(sqrt(s) x) = sqrt(s) phi(x), the scale s becomes a factor sqrt(s) on both sides.

static int feature_size(const sac_features *f)
{
    return f->count;
}

static void prepare(sac_attention *a, const sac_attention_def *def)
{
    (void)def;
    for (int side = 0; side < 2; side++)
        for (int f = 0; f < a->feature_size; f++) a->gains[side][f] = sqrt(a->scale);
    SAC_USE_MAP(a, relu);
}

static const sac_map map = {
    .allows_identity = true, .has_raw_kernels = true, .feature_size = feature_size, .prepare = prepare};

const sac_attention_form sac_attention_relu = {
    .name = "relu",
    .summary = "rectified features, a kernel of its own; time grows with the tokens",
    .map = &map,
    .fallback_scale = 1,
    SAC_LINEAR_FORM,
};
