#include <float.h>

#include "base/memory.h"
#include "saccade/heads.h"
#include "test.h"

/// Transformer-XL's four terms against their definition in double.

enum
{
    MOST = 37,
    C = 5,
    D = 3,
    V = 2
};

static struct
{
    float query[D * C], key[D * C], position_key[D * C], content[D], place[D];
    float tokens[C * (MOST + 1)], offsets[C * (2 * MOST + 3)], values[V * MOST];
} s;

static sac_relative create(uint64_t seed)
{
    fill_uniform((float *)&s, sizeof s / sizeof(float), seed);
    return (sac_relative){C, D, s.query, s.key, s.position_key, s.content, s.place};
}

// column `column` of matrix x [C, stride], projected
static double project(const float *w, int d, const float *x, int stride, int column)
{
    double sum = 0;
    for (int c = 0; c < C; c++) sum += (double)w[d * C + c] * (double)x[c * stride + column];
    return sum;
}

static double term(int which, int i, int j, int n)
{
    double sum = 0;
    for (int d = 0; d < D; d++)
    {
        double q = project(s.query, d, s.tokens, MOST + 1, i), k = project(s.key, d, s.tokens, MOST + 1, j);
        double r = project(s.position_key, d, s.offsets, 2 * MOST + 3, i - j + n - 1);
        sum += which == SAC_RELATIVE_A   ? q * k
               : which == SAC_RELATIVE_B ? q * r
               : which == SAC_RELATIVE_C ? (double)s.content[d] * k
                                         : (double)s.place[d] * r;
    }
    return sum;
}

// two products of C numbers below 1 and D products of those: (2 C + D + 1) roundings of D C^2, and four such terms
static const double tolerance = 4 * (2 * C + D + 1) * D * C * C / 2 * (double)FLT_EPSILON;

TEST(terms_are_their_definition)
{
    static const int counts[] = {1, 2, 3, 16, MOST};
    static float logits[MOST * MOST];
    sac_relative r = create(1);
    for (int k = 0; k < 5; k++)
        for (int terms = 1; terms <= SAC_RELATIVE_ALL; terms++)
        {
            int n = counts[k];
            void *workspace = sac_alloc(sac_relative_workspace_size(&r, n));
            sac_relative_logits(&r, logits, terms, s.tokens, n, MOST + 1, s.offsets, 2 * MOST + 3, workspace);
            for (int i = 0; i < n * n; i++)
            {
                double sum = 0;
                for (int which = 1; which < 16; which *= 2)
                    if (terms & which) sum += term(which, i / n, i % n, n);
                assert_near((double)logits[i], sum, tolerance);
            }
            sac_free(workspace);
        }
}

TEST(outputs_are_softmax_of_the_logits_times_values)
{
    static float logits[MOST * MOST], out[V * MOST];
    sac_relative r = create(2);
    void *workspace = sac_alloc(sac_relative_workspace_size(&r, MOST));
    sac_relative_logits(&r, logits, SAC_RELATIVE_ALL, s.tokens, MOST, MOST + 1, s.offsets, 2 * MOST + 3, workspace);
    sac_relative_output(&r, out, MOST, 0.7, s.tokens, MOST, MOST + 1, s.offsets, 2 * MOST + 3, s.values, V, MOST,
                        workspace);
    for (int i = 0; i < MOST; i++)
        for (int v = 0; v < V; v++)
        {
            double sum = 0, all = 0;
            for (int j = 0; j < MOST; j++)
            {
                double weight = exp(0.7 * (double)logits[i * MOST + j]);
                sum += weight * (double)s.values[v * MOST + j];
                all += weight;
            }
            // exponents below 60 are off by as many half-units, and MOST terms are added
            assert_near((double)out[v * MOST + i], sum / all, (60 + MOST) * (double)FLT_EPSILON);
        }
    sac_free(workspace);
}

// what remains for a convolution: with Wq = Wk = 0 a logit is a function of i - j. The paper lets Wk and Wr vanish,
// which leaves nothing
TEST(without_content_only_offsets_count)
{
    static const float none[D * C];
    static float logits[MOST * MOST];
    sac_relative r = create(3);
    void *workspace = sac_alloc(sac_relative_workspace_size(&r, MOST));
    r.query = r.key = none;
    sac_relative_logits(&r, logits, SAC_RELATIVE_ALL, s.tokens, MOST, MOST + 1, s.offsets, 2 * MOST + 3, workspace);
    for (int i = 0; i + 1 < MOST; i++)
        for (int j = 0; j + 1 < MOST; j++) assert_true(logits[i * MOST + j] == logits[(i + 1) * MOST + j + 1]);
    assert_true(logits[0] != logits[1]);
    r.query = s.query;
    r.position_key = none;
    sac_relative_logits(&r, logits, SAC_RELATIVE_ALL, s.tokens, MOST, MOST + 1, s.offsets, 2 * MOST + 3, workspace);
    for (int i = 0; i < MOST * MOST; i++) assert_true(logits[i] == 0);
    sac_free(workspace);
}

TESTS(terms_are_their_definition, outputs_are_softmax_of_the_logits_times_values, without_content_only_offsets_count)
