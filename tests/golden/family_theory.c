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
    const sac_tensor *sizes, *ms, *rs, *xs, *ys;
    SAC_TRY(sac_tensors_get(&sizes, g->in, "d", SAC_I32, 1, (const int64_t[]){-1}));
    int64_t count = sizes->shape[0];
    SAC_TRY(sac_tensors_get(&ms, g->in, "m", SAC_I32, 1, &count));
    SAC_TRY(sac_tensors_get(&rs, g->in, "r", SAC_I32, 1, &count));
    SAC_TRY(sac_tensors_get(&xs, g->in, "x", SAC_F64, 2, (const int64_t[]){count, -1}));
    SAC_TRY(sac_tensors_get(&ys, g->in, "y", SAC_F64, 2, xs->shape));

    sac_status status = SAC_OK;
    double *trig = golden_output(g, &status, "mse_trig", SAC_F64, 1, &count);
    double *positive = golden_output(g, &status, "mse_exp", SAC_F64, 1, &count);
    double *hybrid = golden_output(g, &status, "mse_hyb", SAC_F64, 1, &count);
    double *deviation = golden_output(g, &status, "lemma32_g", SAC_F64, 1, (const int64_t[]){DEVIATIONS});
    SAC_TRY(status);
    for (int64_t i = 0; i < count; i++)
    {
        const double *x = (const double *)xs->data + i * xs->shape[1], *y = (const double *)ys->data + i * xs->shape[1];
        int size = (int)xs->shape[1], m = ((const int32_t *)ms->data)[i], r = ((const int32_t *)rs->data)[i];
        trig[i] = sac_theory_mse_trig(x, y, size, m);
        positive[i] = sac_theory_mse_exp(x, y, size, m);
        hybrid[i] = sac_theory_mse_hybrid(x, y, size, m, r);
    }
    for (int i = 0; i < DEVIATIONS; i++)
        deviation[i] =
            sac_theory_deviation(deviations[i].length, deviations[i].angle, deviations[i].m, deviations[i].t);
    return SAC_OK;
}

const golden_family golden_theory = {"theory", run};
