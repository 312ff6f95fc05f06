#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "papers.h"
#include "saccade/trans.h"

/// Choromanski et al. 2021 (Unlocking Pixels, second version), equation 3: P A V in any order of multiplication.

enum
{
    TOKENS = 200,
    SIZE = 8,
    ROWS = 10,
    VALUES = 16
};

typedef struct scene
{
    float queries[SIZE * TOKENS], keys[SIZE * TOKENS], values[VALUES * TOKENS], projection[ROWS * TOKENS];
    float out[3][ROWS * VALUES];
} scene;

static void draw(float *out, int count, uint64_t index)
{
    sac_stream stream = sac_stream_create(41, index, 0);
    for (int i = 0; i < count; i++) out[i] = (float)sac_stream_uniform(&stream, -1, 1);
}

static sac_status run_orders(scene *s, const sac_attention *attention)
{
    static const sac_trans_order orders[] = {SAC_TRANS_LEFT, SAC_TRANS_RIGHT, SAC_TRANS_MIDDLE};
    for (int i = 0; i < 3; i++)
    {
        sac_trans trans = {.attention = attention,
                           .rows = ROWS,
                           .value_size = VALUES,
                           .projection = s->projection,
                           .projection_stride = TOKENS,
                           .order = orders[i]};
        void *workspace = sac_alloc(sac_trans_workspace_size(&trans));
        if (!workspace) return sac_fail_memory("a block");
        sac_trans_run(&trans, s->out[i], s->queries, s->keys, s->values, TOKENS, TOKENS, workspace);
        sac_free(workspace);
    }
    return SAC_OK;
}

static sac_status compare_orders(double *worst, scene *s)
{
    draw(s->queries, SIZE * TOKENS, 0);
    draw(s->keys, SIZE * TOKENS, 1);
    draw(s->values, VALUES * TOKENS, 2);
    draw(s->projection, ROWS * TOKENS, 3);
    sac_attention_def def = sac_attention_default_def();
    def.form = "positive";
    def.key_size = SIZE;
    sac_attention *attention;
    SAC_TRY(sac_attention_create(&attention, &def));
    sac_status status = run_orders(s, attention);
    sac_attention_destroy(attention);
    double largest = 0;
    *worst = 0;
    for (int i = 0; i < ROWS * VALUES; i++)
    {
        largest = fmax(largest, fabs((double)s->out[0][i]));
        for (int order = 1; order < 3; order++)
            *worst = fmax(*worst, fabs((double)s->out[order][i] - (double)s->out[0][i]));
    }
    *worst /= largest;
    return status;
}

sac_status theory_iap2_orders(theory_report *report)
{
    double worst = 0;
    scene *s = SAC_NEW(scene);
    sac_status status = s ? compare_orders(&worst, s) : sac_fail_memory("a block");
    sac_free(s);
    SAC_TRY(status);
    theory_row *row = theory_claim(report, THEORY_PRINTED, "((P Q') K'^T) V and P (Q' (K'^T V)) are the same");
    theory_predict(row, "to 1e-4 of the largest (float32), and (P Q')(K'^T V) too; L = 200, l = 10, d_V = 16");
    theory_measure(row, "%.0e", worst);
    theory_judge(row, worst <= 1e-4);

    row = theory_claim(report, THEORY_FURTHER, "neither is always the cheapest: (P Q')(K'^T V) costs L m (l + d_V)");
    theory_predict(row, "l = d_V = m = 16, L = 1024: fewest multiplications of the three");
    double left = sac_trans_cost(SAC_TRANS_LEFT, 16, 16, 1024, 16);
    double right = sac_trans_cost(SAC_TRANS_RIGHT, 16, 16, 1024, 16);
    double middle = sac_trans_cost(SAC_TRANS_MIDDLE, 16, 16, 1024, 16);
    theory_measure(row, "left %.0f, right %.0f, middle %.0f", left, right, middle);
    theory_judge(row, middle < left && middle < right && sac_trans_cheapest(16, 16, 1024, 16) == SAC_TRANS_MIDDLE);
    return SAC_OK;
}
