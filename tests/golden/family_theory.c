#include "base/error.h"
#include "golden.h"
#include "saccade/theory.h"

// the closed forms of the papers, in double precision

// the cases of the third array; the reference keeps them in its conventions, not in the file
static const struct
{
    double length, angle;
    int m;
    double t;
} deviations[] = {{1, 0.5, 8, 2}, {1.5, 2, 64, 3}, {0.5, 3, 1, 1.5}};

enum
{
    DEVIATIONS = sizeof deviations / sizeof *deviations
};

static sac_status run(golden *g)
{
    const sac_tensor *sizes, *vectors;
    sac_status status = SAC_OK;
    golden_integers(g, &status, "d", 1, (const int64_t[]){GOLDEN_ANY}, &sizes);
    SAC_TRY(status);
    int64_t count = sizes->shape[0];
    const int *m = golden_integers(g, &status, "m", 1, &count, NULL);
    const int *r = golden_integers(g, &status, "r", 1, &count, NULL);
    const double *x = golden_doubles(g, &status, "x", 2, (const int64_t[]){count, GOLDEN_ANY}, &vectors);
    SAC_TRY(status);
    const double *y = golden_doubles(g, &status, "y", 2, vectors->shape, NULL);
    int size = (int)vectors->shape[1]; // shorter vectors are padded with zeros, which change nothing
    double *trig = golden_output(g, &status, "mse_trig", SAC_F64, 1, &count);
    double *positive = golden_output(g, &status, "mse_exp", SAC_F64, 1, &count);
    double *hybrid = golden_output(g, &status, "mse_hyb", SAC_F64, 1, &count);
    double *deviation = golden_output(g, &status, "lemma32_g", SAC_F64, 1, (const int64_t[]){DEVIATIONS});
    SAC_TRY(status);
    for (int64_t i = 0; i < count; i++)
    {
        trig[i] = sac_theory_mse_trig(x + i * size, y + i * size, size, m[i]);
        positive[i] = sac_theory_mse_exp(x + i * size, y + i * size, size, m[i]);
        hybrid[i] = sac_theory_mse_hybrid(x + i * size, y + i * size, size, m[i], r[i]);
    }
    for (int i = 0; i < DEVIATIONS; i++)
        deviation[i] =
            sac_theory_deviation(deviations[i].length, deviations[i].angle, deviations[i].m, deviations[i].t);
    return SAC_OK;
}

const golden_family golden_theory = {"theory", run};
