#include "base/error.h"
#include "papers.h"
#include "scene.h"

/// Do small maps attend like softmax? This measures which share of softmax's ten best tokens they find, with Gaussian
/// queries and keys, not with trained ones.

enum
{
    DRAWS = 40
};

sac_status theory_iap2_recall(theory_report *report)
{
    static const theory_scorer scorers[] = {{"positive", 16, 0, 0},  {"hybrid", 10, 5, 0}, {"trig", 16, 0, 0},
                                            {"positive", 180, 0, 0}, {"trig", 90, 0, 0},   {"relu", 0, 0, 0}};
    static const char *const names[] = {"exp 16", "hybrid (10,5)", "trig 16", "exp 180", "trig 90", "relu"};
    double recalls[2][6];
    for (int i = 0; i < 12; i++)
        SAC_TRY(theory_recall(&recalls[i / 6][i % 6], &scorers[i % 6], i < 6 ? 4 : 16, THEORY_MEAN, DRAWS));

    theory_row *row = theory_claim(report, THEORY_PRINTED,
                                   "few random features (15 samples, 16 positive ones) attend as softmax does");
    theory_predict(row,
                   "exp m = 16 and hybrid (10, 5) find half or more of the top 10 of brute force (d = 4, L = 529)");
    theory_measure(row, "exp %.2f, hybrid %.2f; chance is 0.02", recalls[0][0], recalls[0][1]);
    theory_judge(row, recalls[0][0] >= 0.5 && recalls[0][1] >= 0.5);
    row = theory_claim(
        report, THEORY_MENDED,
        "trig features do at d = 4; other small maps are forms of their own, which a policy is trained through");
    theory_predict(row, "trig m = 16 finds half or more, m = 90 more than that");
    theory_measure(row, "%.2f, %.2f", recalls[0][2], recalls[0][4]);
    theory_judge(row, recalls[0][2] >= 0.5 && recalls[0][4] > recalls[0][2]);
    for (int d = 0; d < 2; d++)
    {
        row = theory_claim(report, THEORY_FURTHER,
                           d ? "nothing of 180 numbers or fewer does at d = 16" : "every form at d = 4");
        theory_predict(row, d ? "all below one half" : "trig finds most, all but it below one half");
        bool holds = true;
        for (int i = 0; i < 6; i++)
        {
            theory_measure(row, "%s%s %.2f", i ? ", " : "", names[i], recalls[d][i]);
            bool most = d == 0 && (i == 2 || i == 4);
            holds = holds && (recalls[d][i] < 0.5) == !most;
        }
        theory_judge(row, holds);
    }
    double flat;
    SAC_TRY(theory_recall(&flat, &scorers[2], 4, 0, DRAWS));
    row = theory_claim(report, THEORY_FURTHER, "queries around zero leave nothing to find: scores are all but equal");
    theory_predict(row, "trig 16, d = 4: below a quarter");
    theory_measure(row, "%.2f", flat);
    theory_judge(row, flat < 0.25);
    return SAC_OK;
}
