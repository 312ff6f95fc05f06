#include "attention/form.h"
#include "attention/forms/softmax_kernel.h"

// phi(x) = v f(G y): Leal et al. 2023 (SARA-RT), section II. f is relu, exp or square. G is the identity, drawn, or
// given for each side.

static int feature_size(const sac_features *f)
{
    return f->count;
}

static void set_gains(sac_attention *a, const sac_attention_def *def)
{
    for (int side = 0; side < 2; side++)
        for (int f = 0; f < a->feature_size; f++)
            a->gains[side][f] = def->feature_gains ? (double)def->feature_gains[f] : 1;
}

static void prepare_relu(sac_attention *a, const sac_attention_def *def)
{
    set_gains(a, def);
    SAC_USE_MAP(a, relu);
}

static void prepare_exp(sac_attention *a, const sac_attention_def *def)
{
    set_gains(a, def);
    SAC_USE_MAP(a, exp);
}

static void prepare_square(sac_attention *a, const sac_attention_def *def)
{
    set_gains(a, def);
    SAC_USE_MAP(a, square);
}

#define SARA_MAP(f, raw, factor)                                  \
    static const sac_map f##_map = {.allows_identity = true,      \
                                    .has_raw_kernels = raw,       \
                                    .has_sides = true,            \
                                    .matrix_factor = factor,      \
                                    .feature_size = feature_size, \
                                    .prepare = prepare_##f}

SARA_MAP(relu, true, sqrt);
SARA_MAP(exp, false, sac_log2_matrix_factor);
SARA_MAP(square, false, sqrt);

#define SARA_FORM(f, title)                                                                                    \
    const sac_attention_form sac_attention_sara_##f = {                                                        \
        .name = "sara-" #f,                                                                                    \
        .summary = title " of learned or random projections, a kernel of its own, weighed feature by feature", \
        .map = &f##_map,                                                                                       \
        .fallback_scale = 1,                                                                                   \
        SAC_LINEAR_FORM,                                                                                       \
    }

SARA_FORM(relu, "the positive part");
SARA_FORM(exp, "the exponential");
SARA_FORM(square, "the square");
