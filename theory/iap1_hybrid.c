#include <math.h>

#include "base/error.h"
#include "map.h"
#include "papers.h"
#include "random.h"
#include "saccade/theory.h"

/// Choromanski et al. 2021 (Unlocking Pixels, first version), sections 3 and 4.1: the claims about the hybrid map.

enum
{
    M = 10,
    R = 5,
    D = 4,
    DRAWS = 20000,
    ANGLES = 1801 // a tenth of a degree apart, both ends included
};

static const double pi = 3.141592653589793;

static sac_attention_def hybrid_def(void)
{
    sac_attention_def def = theory_def("hybrid", D, M);
    def.direction_count = R;
    return def;
}

// ---- unbiased

typedef struct both_signs
{
    theory_moments printed, mended;
} both_signs;

static void add_both_signs(void *user, const theory_map *map)
{
    both_signs *b = user;
    // Equations 8 and 9 give one map for both sides, with the minus sign included. The minus of one side cancels that
    // of the other, which is the same as using the keys' map on both sides.
    theory_add(&b->printed, theory_map_dot(map, SAC_KEYS, 0, SAC_KEYS, 1));
    theory_add(&b->mended, theory_map_dot(map, SAC_QUERIES, 0, SAC_KEYS, 1));
}

sac_status theory_iap1_unbiased(theory_report *report)
{
    static const double angles[] = {0.1, 0.25, 0.5, 0.75, 0.9}; // of pi
    theory_row *printed = theory_claim(report, THEORY_PRINTED, "the map of Eq. 8-9, on both sides, is unbiased");
    theory_predict(printed, "mean / SM is 1 within 4 s.e. at 0.1, 0.25, 0.5, 0.75, 0.9 pi");
    theory_row *law =
        theory_claim(report, THEORY_FURTHER, "its minus cancels: the mean is that of (1 + K_ang)(K_exp + K_trig) / 2");
    theory_predict(law, "mean is 2 (1 - angle / pi) SM within 4 s.e.");
    theory_row *mended = theory_claim(report, THEORY_MENDED, "the minus of beta on the query side alone");
    theory_predict(mended, "mean / SM is 1 within 4 s.e.");
    double worst_printed = 0, worst_law = 0, worst_mended = 0;
    theory_measure(printed, "mean / SM:");
    for (int i = 0; i < 5; i++)
    {
        double tokens[2 * D], kernel = exp(cos(angles[i] * pi));
        theory_pair(tokens, tokens + D, D, 1, 1, angles[i] * pi, 4, (uint64_t)i);
        both_signs signs = {0};
        sac_attention_def def = hybrid_def();
        SAC_TRY(theory_each_draw(&def, tokens, tokens, 2, DRAWS, add_both_signs, &signs));
        double error = theory_error(&signs.printed);
        theory_measure(printed, " %.2f", signs.printed.mean / kernel);
        worst_printed = fmax(worst_printed, fabs(signs.printed.mean - kernel) / error);
        worst_law = fmax(worst_law, fabs(signs.printed.mean - 2 * (1 - angles[i]) * kernel) / error);
        worst_mended = fmax(worst_mended, fabs(signs.mended.mean - kernel) / theory_error(&signs.mended));
    }
    theory_measure(printed, "; worst %.0f s.e.", worst_printed);
    theory_judge(printed, worst_printed <= 4);
    theory_measure(law, "worst %.1f s.e. of %d draws", worst_law, DRAWS);
    theory_judge(law, worst_law <= 4);
    theory_measure(mended, "worst %.1f s.e. of %d draws", worst_mended, DRAWS);
    theory_judge(mended, worst_mended <= 4);
    return SAC_OK;
}

// ---- the ends of the angle's range

typedef struct miss
{
    double kernel, worst; // worst relative miss
} miss;

static void add_miss(void *user, const theory_map *map)
{
    miss *m = user;
    double estimate = theory_map_dot(map, SAC_QUERIES, 0, SAC_KEYS, 0);
    m->worst = fmax(m->worst, fabs(estimate / m->kernel - 1));
}

sac_status theory_iap1_ends(theory_report *report)
{
    double x[D], y[D];
    theory_row *row = theory_claim(report, THEORY_PRINTED, "equal lengths: the error vanishes at angles 0 and pi");
    theory_predict(row, "Eq. 10 gives 0 (below 1e-25); 200 maps miss SM by float32 rounding alone (1e-5 SM)");
    double formula = 0, worst = 0;
    for (int end = 0; end < 2; end++)
    {
        theory_pair(x, y, D, 1, 1, 0, 5, 0);
        for (int i = 0; i < D; i++) y[i] = end ? -x[i] : x[i];
        formula = fmax(formula, sac_theory_mse_hybrid(x, y, D, M, R));
        sac_attention_def def = hybrid_def();
        miss m = {.kernel = exp(end ? -1 : 1)};
        SAC_TRY(theory_each_draw(&def, x, y, 1, 200, add_miss, &m));
        worst = fmax(worst, m.worst);
    }
    theory_measure(row, "Eq. 10: %.0e; the library's worst estimate misses by %.1e SM", formula, worst);
    theory_judge(row, formula <= 1e-25 && worst <= 1e-5);

    row = theory_claim(report, THEORY_FURTHER, "unequal lengths: it is the error of trig at 0, of exp at pi");
    theory_predict(row, "equal to 1e-12");
    double apart = 0;
    for (int end = 0; end < 2; end++)
    {
        for (int i = 0; i < D; i++) y[i] = (end ? -1.6 : 1.6) * x[i];
        double other = end ? sac_theory_mse_exp(x, y, D, M) : sac_theory_mse_trig(x, y, D, M);
        apart = fmax(apart, fabs(sac_theory_mse_hybrid(x, y, D, M, R) / other - 1));
    }
    theory_measure(row, "relative difference %.0e", apart);
    theory_judge(row, apart <= 1e-12);
    return SAC_OK;
}

// ---- better than both

// The three errors over all angles at equal lengths.
typedef struct sweep
{
    double worst[3], worst_relative[3]; // trig, exp, hybrid; relative to SM^2
    double share;                       // of the angles at which hybrid has the smallest error
} sweep;

static sweep sweep_angles(double length)
{
    sweep s = {0};
    int best = 0;
    for (int i = 0; i < ANGLES; i++)
    {
        double angle = pi * i / (ANGLES - 1), x[2] = {length, 0}, y[2] = {length * cos(angle), length * sin(angle)};
        double mse[3] = {sac_theory_mse_trig(x, y, 2, M), sac_theory_mse_exp(x, y, 2, M),
                         sac_theory_mse_hybrid(x, y, 2, M, R)};
        double kernel = exp(length * length * cos(angle));
        for (int f = 0; f < 3; f++)
        {
            s.worst[f] = fmax(s.worst[f], mse[f]);
            s.worst_relative[f] = fmax(s.worst_relative[f], mse[f] / (kernel * kernel));
        }
        best += mse[2] <= mse[0] && mse[2] <= mse[1];
    }
    s.share = (double)best / ANGLES;
    return s;
}

static const double lengths[] = {0.5, 1, 1.4142135623730951, 2, 2.8284271247461903}; // d^(1/4) of d = 1, 4, 16, 64

static void check_bounds(theory_report *report)
{
    theory_row *everywhere = theory_claim(report, THEORY_PRINTED, "hybrid is more accurate than both others");
    theory_predict(everywhere, "smallest error at every angle, |x| = |y| = R = 0.5, 1, 1.41, 2, 2.83, (10, 5)");
    theory_row *bounded = theory_claim(report, THEORY_PRINTED, "its error is better bounded than theirs (Fig. 4)");
    theory_predict(bounded, "largest error over the angles below that of both, at every R");
    theory_row *relative = theory_claim(report, THEORY_MENDED, "its worst relative error is better than theirs");
    theory_predict(relative, "largest MSE / SM^2 over the angles below that of both, at every R");
    theory_row *budget = theory_claim(report, THEORY_FURTHER,
                                      "180 numbers a token spent on trig alone (m = 90) do "
                                      "better at d = 4");
    theory_predict(budget, "largest error of trig m = 90 below that of hybrid (10, 5) at R = 1.41");
    bool all_best = true, all_bounded = true, all_relative = true;
    theory_measure(everywhere, "best on");
    for (int i = 0; i < 5; i++)
    {
        sweep s = sweep_angles(lengths[i]);
        theory_measure(everywhere, " %.0f %%%s", 100 * s.share, i < 4 ? "," : " of the angles");
        all_best = all_best && s.share == 1;
        all_bounded = all_bounded && s.worst[2] < s.worst[0] && s.worst[2] < s.worst[1];
        all_relative =
            all_relative && s.worst_relative[2] < s.worst_relative[0] && s.worst_relative[2] < s.worst_relative[1];
        if (i != 2) continue;
        theory_measure(bounded, "at R = 1.41: trig %.3g, exp %.3g, hybrid %.3g", s.worst[0], s.worst[1], s.worst[2]);
        theory_measure(relative, "at R = 1.41: trig %.3g, exp %.3g, hybrid %.3g", s.worst_relative[0],
                       s.worst_relative[1], s.worst_relative[2]);
        double same_size = s.worst[0] * M / 90;
        theory_measure(budget, "%.2g against %.3g", same_size, s.worst[2]);
        theory_judge(budget, same_size < s.worst[2]);
    }
    theory_judge(everywhere, all_best);
    theory_judge(bounded, all_bounded);
    theory_judge(relative, all_relative);
}

// Compare the order of the errors at one angle with features, at R = 0.5, where tails are light.
static sac_status check_order(theory_report *report)
{
    theory_row *row = theory_claim(report, THEORY_FURTHER, "the library's features show it: at R = 0.5, angle pi / 4");
    theory_predict(row, "measured error of trig below that of hybrid by 4 s.e. or more");
    double x[D], y[D];
    theory_pair(x, y, D, 0.5, 0.5, pi / 4, 6, 0);
    sac_attention_def trig_def = theory_def("trig", D, M), def = hybrid_def();
    double kernel = exp(0.25 * cos(pi / 4));
    theory_moments trig, hybrid;
    SAC_TRY(theory_squared_misses(&trig, &trig_def, x, y, kernel, DRAWS));
    SAC_TRY(theory_squared_misses(&hybrid, &def, x, y, kernel, DRAWS));
    double gap = hybrid.mean - trig.mean, error = hypot(theory_error(&hybrid), theory_error(&trig));
    theory_measure(row, "trig %.5f, hybrid %.5f: %.0f s.e.", trig.mean, hybrid.mean, gap / error);
    theory_judge(row, gap >= 4 * error);
    return SAC_OK;
}

sac_status theory_iap1_best(theory_report *report)
{
    check_bounds(report);
    return check_order(report);
}

// ---- how many numbers the map takes

sac_status theory_iap1_counts(theory_report *report)
{
    sac_attention_def def = hybrid_def();
    sac_attention *attention;
    SAC_TRY(sac_attention_create(&attention, &def));
    int size = sac_attention_feature_size(attention);
    sac_attention_destroy(attention);

    theory_row *row = theory_claim(report, THEORY_PRINTED, "(10, 5) takes 15 random samples");
    theory_predict(row, "m + r = 15");
    theory_measure(row, "%d", def.feature_count + def.direction_count);
    theory_judge(row, def.feature_count + def.direction_count == 15);
    row = theory_claim(report, THEORY_PRINTED, "(10, 5) uses only 50 features (IAP v2)");
    theory_predict(row, "the map has 50 entries");
    theory_measure(row, "%d: 50 is m r, the entries of beta alone", size);
    theory_judge(row, size == 50);
    row = theory_claim(report, THEORY_MENDED, "the map of Eq. 8 has 3 m (1 + r) entries");
    theory_predict(row, "180");
    theory_measure(row, "%d", size);
    theory_judge(row, size == 180);
    return SAC_OK;
}

// Count the parameters of a layer with bias.
static int dense(int inputs, int outputs)
{
    return outputs * (inputs + 1);
}

// The vision part of the CNN policy: 3 x 3 convolutions 3 -> 4 -> 8 -> 8 on 32 x 32, 2 x 2 pooling, then layers of 10
// and 3.
static int vision_parameters(bool padded)
{
    int convolutions = dense(9 * 3, 4) + dense(9 * 4, 8) + dense(9 * 8, 8), side = (padded ? 32 : 32 - 3 * 2) / 2;
    return convolutions + dense(side * side * 8, 10) + dense(10, 3);
}

sac_status theory_iap1_compression(theory_report *report)
{
    const int cnn = 14954, iap = 1786; // as the paper prints them
    double ratio = (double)cnn / iap;
    theory_row *row = theory_claim(report, THEORY_PRINTED, "10x compression over the CNN policy");
    theory_predict(row, "its own counts, 14954 / 1786, give 9.5 or more");
    theory_measure(row, "%.2f", ratio);
    theory_judge(row, ratio >= 9.5);
    row = theory_claim(report, THEORY_MENDED, "8.4x (as IAP v2 says)");
    theory_predict(row, "8.35 to 8.45");
    theory_measure(row, "%.2f", ratio);
    theory_judge(row, ratio >= 8.35 && ratio < 8.45);
    row = theory_claim(report, THEORY_FURTHER, "14954 counts convolutions without padding");
    theory_predict(row, "their layers fit into 14954; with padding they do not");
    int valid = vision_parameters(false), padded = vision_parameters(true);
    theory_measure(row, "%d, which leaves %d for the low level; %d with padding", valid, cnn - valid, padded);
    theory_judge(row, valid < cnn && padded > cnn);
    return SAC_OK;
}
