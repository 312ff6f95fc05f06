#include "attention/form.h"
#include "attention/forms/softmax_kernel.h"

// phi = (trig, exp, alpha, beta) / sqrt(2): Choromanski et al. 2021 (Unlocking Pixels, first version), equations 8 and
// 9. With K_ang = 1 - 2 theta / pi, which the signs of R directions estimate, phi(q).phi(k) = (K_trig + K_exp + K_ang
// K_trig - K_ang K_exp) / 2. In the printed equation beta has a minus sign on both sides, which cancels, so that the
// mean is no longer the softmax kernel. Here the minus sign is on the queries' side only.

static int feature_size(const sac_features *f)
{
    return 3 * f->count * (1 + f->direction_count);
}

static void prepare(sac_attention *a, const sac_attention_def *def)
{
    (void)def;
    for (int side = 0; side < 2; side++)
    {
        sac_features *features = &a->features[side];
        int m = features->count, r = features->direction_count, beta = 3 * m + 2 * m * r;
        features->turn = (float)sac_log2_turn;
        for (int f = 0; f < a->feature_size; f++)
        {
            double sign = side == SAC_QUERIES && f >= beta ? -1 : 1;
            a->gains[side][f] = sign * sqrt(0.5 / m / (f < 3 * m ? 1 : r));
        }
    }
    SAC_USE_MAP(a, hybrid);
}

static const sac_map map = {.has_directions = true,
                            .has_signs = true,
                            .matrix_factor = sac_log2_matrix_factor,
                            .square_factor = sac_log2_square_factor,
                            .feature_size = feature_size,
                            .prepare = prepare};

const sac_attention_form sac_attention_hybrid = {
    .name = "hybrid",
    .summary = "trig and positive features mixed by the angle between tokens, which the signs of directions estimate",
    .map = &map,
    SAC_LINEAR_FORM,
};
