#include "saccade/attention.h"
#include "test.h"

// every reading of every linear form against the plain formula over its own features, in doubles

enum
{
    MAX_SIZE = 8,
    MAX_TOKENS = 700, // more than a block of any map
    MAX_VALUES = 5
};

_Alignas(64) static unsigned char workspace[1 << 22];
static float queries[MAX_SIZE * MAX_TOKENS], keys[MAX_SIZE * MAX_TOKENS], values[MAX_VALUES * MAX_TOKENS];

typedef struct sizes
{
    int d, m, n, stride;
} sizes;

static const sizes all_sizes[] = {{1, 1, 1, 1}, {1, 3, 2, 5}, {5, 7, 33, 40}, {4, 16, 700, 700}, {8, 19, 257, 300}};

enum
{
    SIZE_COUNT = sizeof all_sizes / sizeof *all_sizes
};

static sac_attention *create(const char *form, const sizes *s, bool normalise)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = form;
    def.key_size = s->d;
    def.feature_count = s->m;
    def.normalise = normalise;
    sac_attention *a;
    assert_ok(sac_attention_create(&a, &def));
    return a;
}

static void fill(void)
{
    fill_uniform(queries, MAX_SIZE * MAX_TOKENS, 1);
    fill_uniform(keys, MAX_SIZE * MAX_TOKENS, 2);
    fill_uniform(values, MAX_VALUES * MAX_TOKENS, 3);
}

// phi of one side as doubles [F, n]
static double *features_of(const sac_attention *a, sac_attention_side side, const float *x, const sizes *s)
{
    int f = sac_attention_feature_size(a);
    float *phi = malloc((size_t)(f * s->n) * sizeof *phi);
    double *out = malloc((size_t)(f * s->n) * sizeof *out);
    sac_attention_features(a, side, phi, s->n, x, s->n, s->stride, workspace);
    for (int i = 0; i < f * s->n; i++) out[i] = (double)phi[i];
    free(phi);
    return out;
}

typedef void check_fn(const sac_attention *a, const sizes *s, const double *q, const double *k);

static void each_form(check_fn *check)
{
    fill();
    const char *name;
    for (int form = 0; (name = sac_attention_form_at(form, NULL)); form++)
        for (int i = 0; i < 2 * SIZE_COUNT; i++)
        {
            const sizes *s = &all_sizes[i / 2];
            sac_attention *a = create(name, s, i % 2);
            if (sac_attention_feature_size(a) > 0)
            {
                assert_true(sac_attention_output_workspace_size(a, s->n, MAX_VALUES) <= sizeof workspace);
                double *q = features_of(a, SAC_QUERIES, queries, s), *k = features_of(a, SAC_KEYS, keys, s);
                check(a, s, q, k);
                free(q);
                free(k);
            }
            sac_attention_destroy(a);
        }
}

// A_ij and the sum of its terms' magnitudes, for the error bound
static double dot(const double *q, const double *k, int i, int j, int f, int n, double *magnitude)
{
    double sum = 0;
    for (int m = 0; m < f; m++)
    {
        double term = q[m * n + i] * k[m * n + j];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// roundings of a sum of `terms` that were rounded a few times, at most
static double bound(double magnitude, int terms)
{
    return magnitude * (terms + 12) * 6e-8;
}

static void check_importance(const sac_attention *a, const sizes *s, const double *q, const double *k)
{
    static float importance[MAX_TOKENS], row[MAX_TOKENS];
    int f = sac_attention_feature_size(a), last = s->n - 1;
    sac_attention_importance(a, importance, queries, keys, s->n, s->stride, workspace);
    sac_attention_row(a, row, last, queries, keys, s->n, s->stride, workspace);
    for (int j = 0; j < s->n; j += 1 + s->n / 40)
    {
        double sum = 0, magnitude = 0, one = 0;
        for (int i = 0; i < s->n; i++) sum += dot(q, k, i, j, f, s->n, &magnitude);
        assert_near(importance[j], sum / s->n, bound(magnitude / s->n, f + s->n));
        double expected = dot(q, k, last, j, f, s->n, &one);
        assert_near(row[j], expected, bound(one, f));
    }
}

static void check_output(const sac_attention *a, const sizes *s, const double *q, const double *k)
{
    static float out[MAX_VALUES * MAX_TOKENS];
    int f = sac_attention_feature_size(a), query_count = s->n > 3 ? s->n - 3 : s->n;
    sac_attention_output(a, out, MAX_TOKENS, queries, query_count, s->stride, keys, values, s->n, s->stride, MAX_VALUES,
                         workspace);
    for (int i = 0; i < query_count; i += 1 + s->n / 20)
        for (int v = 0; v < MAX_VALUES; v++)
        {
            double sum = 0, divisor = 0, magnitude = 0;
            for (int j = 0; j < s->n; j++)
            {
                double weight = dot(q, k, i, j, f, s->n, &magnitude);
                sum += weight * (double)values[v * s->stride + j];
                divisor += weight;
            }
            float got = out[v * MAX_TOKENS + i];
            if (divisor == 0)
                assert_true(got == 0);
            else // |values| <= 1, so the sum's error and the divisor's are bounded by the same magnitude
                assert_near(got, sum / divisor, bound(magnitude / fabs(divisor), f + s->n) * (1 + fabs(sum / divisor)));
        }
}

TEST(importance_and_rows_are_those_of_the_features)
{
    each_form(check_importance);
}

TEST(output_is_that_of_the_features)
{
    each_form(check_output);
}

TEST(undivided_output_and_epsilon)
{
    fill();
    const sizes s = {4, 16, 50, 50};
    sac_attention_def def = sac_attention_default_def();
    def.form = "positive";
    def.key_size = s.d;
    float divided[50], undivided[50], softened[50], ones[50], sums[50];
    for (int i = 0; i < 50; i++) ones[i] = 1;
    struct
    {
        bool divide;
        double epsilon;
        const float *values;
        float *out;
    } runs[] = {
        {true, 0, values, divided}, {false, 0, values, undivided}, {true, 2, values, softened}, {false, 0, ones, sums}};
    for (int i = 0; i < 4; i++)
    {
        def.divide = runs[i].divide;
        def.epsilon = runs[i].epsilon;
        sac_attention *a;
        assert_ok(sac_attention_create(&a, &def));
        sac_attention_output(a, runs[i].out, 50, queries, 50, 50, keys, runs[i].values, 50, 50, 1, workspace);
        sac_attention_destroy(a);
    }
    // all terms are positive: a rounding each, and the few of the quotient
    for (int i = 0; i < 50; i++)
    {
        double tolerance = bound(1, 50 + 16);
        assert_near(divided[i], (double)undivided[i] / sums[i], tolerance);
        assert_near(softened[i], undivided[i] / (2.0 + sums[i]), tolerance);
    }
}

// importance and rows where every row of A is divided by its sum; a row whose sum is zero is zero
static void check_divided(const sac_attention *a, const sizes *s)
{
    static float importance[MAX_TOKENS], row[MAX_TOKENS];
    double *q = features_of(a, SAC_QUERIES, queries, s), *k = features_of(a, SAC_KEYS, keys, s), *sums = NULL;
    int f = sac_attention_feature_size(a), last = s->n - 1;
    sums = calloc((size_t)s->n, sizeof *sums);
    assert_non_null(sums);
    sac_attention_importance(a, importance, queries, keys, s->n, s->stride, workspace);
    sac_attention_row(a, row, last, queries, keys, s->n, s->stride, workspace);
    double ignored = 0;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) sums[i] += dot(q, k, i, j, f, s->n, &ignored);
    // all terms are positive: their sums are off by their roundings alone, and so are quotients
    for (int j = 0; j < s->n; j += 1 + s->n / 40)
    {
        double expected = 0, one = sums[last] > 0 ? dot(q, k, last, j, f, s->n, &ignored) / sums[last] : 0;
        for (int i = 0; i < s->n; i++)
            if (sums[i] > 0) expected += dot(q, k, i, j, f, s->n, &ignored) / sums[i];
        assert_near(importance[j], expected, bound(expected, 2 * f + 2 * s->n));
        assert_near(row[j], one, bound(one, 2 * f + s->n));
    }
    free(q), free(k), free(sums);
}

TEST(rows_are_divided_where_that_is_asked_for)
{
    static const char *const forms[] = {"relu", "positive", "sara-relu", "sara-exp", "sara-square"};
    fill();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int k = 0; k < 2 * SIZE_COUNT; k++)
        {
            const sizes *s = &all_sizes[k / 2];
            sac_attention_def def = sac_attention_default_def();
            def.form = forms[i];
            def.key_size = s->d;
            def.feature_count = s->m;
            def.normalise = k % 2;
            def.divide_all = true;
            sac_attention *a;
            assert_ok(sac_attention_create(&a, &def));
            check_divided(a, s);
            sac_attention_destroy(a);
        }
    sac_attention *a;
    sac_attention_def def = sac_attention_default_def();
    def.key_size = 4;
    def.divide_all = true;
    def.form = "trig";
    assert_fails(sac_attention_create(&a, &def), SAC_ERROR_ARGUMENT, "rows of trig");
    def.form = "hybrid";
    assert_fails(sac_attention_create(&a, &def), SAC_ERROR_ARGUMENT, "rows of hybrid");
    def.form = "softmax"; // which divides them anyway
    assert_ok(sac_attention_create(&a, &def));
    sac_attention_destroy(a);
}

TEST(epsilon_is_checked)
{
    sac_attention_def def = sac_attention_default_def();
    def.key_size = 4;
    def.epsilon = -1;
    sac_attention *a;
    assert_fails(sac_attention_create(&a, &def), SAC_ERROR_ARGUMENT, "epsilon");
}

TESTS(importance_and_rows_are_those_of_the_features, output_is_that_of_the_features, undivided_output_and_epsilon,
      rows_are_divided_where_that_is_asked_for, epsilon_is_checked)
