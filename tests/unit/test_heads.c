#include "saccade/heads.h"

#include <float.h>

#include "base/memory.h"
#include "failing_memory.h"
#include "learn/learn.h"

/// Gaussian heads against their definition in double, and nine of them against a convolution.

enum
{
    MOST = 400,
    CHANNELS = 3,
    OUTPUTS = 4,
    HEADS = 9,
    SHAPES = 9
};

static sac_heads *create(int height, int width, const sac_head *list, int count)
{
    sac_heads_def def = sac_heads_default_def();
    def.height = height;
    def.width = width;
    def.count = count;
    def.heads = list;
    sac_heads *heads;
    assert_ok(sac_heads_create(&heads, &def));
    return heads;
}

static double logit_of(const sac_head *h, int width, int i, int j)
{
    double x = i / width - j / width - h->target[0], y = i % width - j % width - h->target[1];
    return -0.5 * (h->precision[0] * x * x + 2 * h->precision[1] * x * y + h->precision[2] * y * y);
}

// softmax in double
static void row_of(double *row, const sac_head *h, int height, int width, int i)
{
    double largest = -HUGE_VAL, sum = 0;
    for (int j = 0; j < height * width; j++) largest = fmax(largest, logit_of(h, width, i, j));
    for (int j = 0; j < height * width; j++) sum += row[j] = exp(logit_of(h, width, i, j) - largest);
    for (int j = 0; j < height * width; j++) row[j] /= sum;
}

// heads of every kind: narrow, wide, flat, one-sided, slanted, a ridge, far outside, slanted and narrow
static int make_heads(sac_head list[HEADS])
{
    list[0] = sac_head_isotropic(20, 1, -1);
    list[1] = sac_head_isotropic(0.05, 0.7, -0.4);
    list[2] = (sac_head){{0, 0}, {0, 0, 0}};
    list[3] = (sac_head){{0.5, 2.25}, {3, 0, 0}};
    list[4] = (sac_head){{-1.5, 0.9}, {3.9, -1.4, 1}};
    list[5] = sac_head_from_root((const double[]){0.3, 0.2, 0, 0}, 0.4, 1);
    list[6] = sac_head_isotropic(1.5, 40, -70);
    list[7] = (sac_head){{30, 11}, {0.9, 0.4, 0.5}};
    list[8] = (sac_head){{0.4, -1.3}, {9, 3, 5}};
    return HEADS;
}

static const int shapes[][2] = {{1, 1}, {1, 2}, {2, 1}, {1, 19}, {23, 1}, {5, 5}, {7, 16}, {11, 33}, {20, 20}};

// a weight e^-u of the largest, u < 40, is off by u half-units of a float, which is most at u = 1; then come the
// exponential, the sum and the division: 3 + log2 of the terms' units
static const double row_tolerance = (0.37 / 2 + 3 + 9) * (double)FLT_EPSILON;

TEST(rows_are_softmax_of_the_logits)
{
    sac_head list[HEADS];
    int count = make_heads(list);
    static double expected[MOST];
    static float row[MOST], logits[MOST];
    for (int s = 0; s < SHAPES; s++)
    {
        int height = shapes[s][0], width = shapes[s][1], pixels = height * width;
        sac_heads *heads = create(height, width, list, count);
        void *workspace = sac_alloc(sac_heads_workspace_size(heads, 1));
        for (int h = 0; h < count; h++)
            for (int i = 0; i < pixels; i++)
            {
                double sum = 0;
                row_of(expected, &list[h], height, width, i);
                sac_heads_row(heads, h, row, i, workspace);
                sac_heads_logits(heads, h, logits, i);
                for (int j = 0; j < pixels; j++)
                {
                    double logit = logit_of(&list[h], width, i, j);
                    assert_near((double)row[j], expected[j], row_tolerance);
                    assert_near((double)logits[j], logit, fabs(logit) * (double)FLT_EPSILON);
                    sum += (double)row[j];
                }
                assert_near(sum, 1, 13 * (double)FLT_EPSILON);
            }
        sac_free(workspace);
        sac_heads_destroy(heads);
    }
}

// sums of at most MOST products below 1, in any order: each rounding is at most half a unit of the sum so far
static const double mix_tolerance = (0.37 / 2 + 3 + MOST / 2) * (double)FLT_EPSILON;

TEST(mixtures_are_rows_times_values)
{
    sac_head list[HEADS];
    int count = make_heads(list);
    static double expected[MOST];
    static float values[CHANNELS * (MOST + 5)], out[CHANNELS * (MOST + 2)];
    fill_uniform(values, CHANNELS * (MOST + 5), 1);
    for (int s = 0; s < SHAPES; s++)
    {
        int height = shapes[s][0], width = shapes[s][1], pixels = height * width;
        sac_heads *heads = create(height, width, list, count);
        void *workspace = sac_alloc(sac_heads_workspace_size(heads, CHANNELS));
        for (int h = 0; h < count; h++)
        {
            sac_heads_mix(heads, h, out, MOST + 2, values, CHANNELS, MOST + 5, workspace);
            for (int i = 0; i < pixels; i++)
            {
                row_of(expected, &list[h], height, width, i);
                for (int c = 0; c < CHANNELS; c++)
                {
                    double sum = 0;
                    for (int j = 0; j < pixels; j++) sum += expected[j] * (double)values[c * (MOST + 5) + j];
                    assert_near((double)out[c * (MOST + 2) + i], sum, mix_tolerance);
                }
            }
        }
        sac_free(workspace);
        sac_heads_destroy(heads);
    }
}

// the dot product of the encodings is the logit; the short one leaves out a number that is the head's alone
TEST(encodings_multiply_to_the_logit)
{
    sac_head list[HEADS];
    int count = make_heads(list);
    for (int h = 0; h < count; h++)
        for (int i = 0; i < 49; i++)
        {
            double row = i / 7 - 3, column = i % 7 - 3, t[10], r[10], dots[3], constant = 0;
            const sac_head_encoding encodings[] = {SAC_HEAD_ISOTROPIC, SAC_HEAD_GENERAL, SAC_HEAD_SHORT};
            bool isotropic = list[h].precision[1] == 0 && list[h].precision[0] == list[h].precision[2];
            for (int e = isotropic ? 0 : 1; e < 3; e++)
            {
                sac_head_encode(t, &list[h], encodings[e]);
                sac_offset_encode(r, row, column, encodings[e]);
                dots[e] = 0;
                for (int k = 0; k < (int)encodings[e]; k++) dots[e] += t[k] * r[k];
                if (encodings[e] == SAC_HEAD_GENERAL) constant = t[7] + t[8] + t[9];
            }
            double x = row - list[h].target[0], y = column - list[h].target[1];
            const double *s = list[h].precision;
            double logit = -0.5 * (s[0] * x * x + 2 * s[1] * x * y + s[2] * y * y);
            // ten terms below 1.5 * 80^2, each with a few roundings in double
            const double tolerance = 1e-10;
            if (isotropic) assert_near(dots[0], logit, tolerance);
            assert_near(dots[1], logit, tolerance);
            assert_near(dots[2], logit - constant, tolerance);
        }
}

// the paper: "b = 0 and a = c = alpha recovers the isotropic Gaussian". It gives half of its exponent
TEST(the_papers_remark_is_off_by_two)
{
    static float right[63], printed[63];
    const sac_head list[] = {sac_head_isotropic(0.75, 1, 0), {{1, 0}, {0.75, 0, 0.75}}};
    sac_heads *heads = create(9, 7, list, 2);
    sac_heads_logits(heads, 0, right, 31);
    sac_heads_logits(heads, 1, printed, 31);
    for (int j = 0; j < 63; j++)
    {
        double x = 4 - j / 7 - 1, y = 3 - j % 7;
        assert_near((double)right[j], -0.75 * (x * x + y * y), 1e-6);
        assert_near(2 * (double)printed[j], (double)right[j], 0);
    }
    sac_heads_destroy(heads);
}

// a true 3 x 3 convolution: tap (r, c) of pixel (y, x) is pixel (y + r - 1, x + c - 1), the nearest one at the border
static double convolve(const float *values, const float *weights, const float *bias, int height, int width, int o,
                       int i)
{
    double sum = (double)bias[o];
    for (int tap = 0; tap < 9; tap++)
    {
        int y = i / width + tap / 3 - 1, x = i % width + tap % 3 - 1;
        y = y < 0 ? 0 : y >= height ? height - 1 : y;
        x = x < 0 ? 0 : x >= width ? width - 1 : x;
        for (int c = 0; c < CHANNELS; c++)
            sum += (double)weights[(tap * CHANNELS + c) * OUTPUTS + o] * (double)values[c * MOST + y * width + x];
    }
    return sum;
}

static double layer_error(double alpha, int height, int width)
{
    static float values[CHANNELS * MOST], weights[9 * CHANNELS * OUTPUTS], bias[OUTPUTS], out[OUTPUTS * MOST];
    fill_uniform(values, CHANNELS * MOST, 1);
    fill_uniform(weights, 9 * CHANNELS * OUTPUTS, 2);
    fill_uniform(bias, OUTPUTS, 3);
    sac_head nine[9];
    sac_heads_nine(nine, alpha);
    sac_heads *heads = create(height, width, nine, 9);
    void *workspace = sac_alloc(sac_heads_workspace_size(heads, OUTPUTS));
    sac_heads_layer(heads, out, OUTPUTS, MOST, values, CHANNELS, MOST, weights, bias, workspace);
    double error = 0;
    for (int o = 0; o < OUTPUTS; o++)
        for (int i = 0; i < height * width; i++)
            error = fmax(error, fabs((double)out[o * MOST + i] - convolve(values, weights, bias, height, width, o, i)));
    sac_free(workspace);
    sac_heads_destroy(heads);
    return error;
}

// what lies beside the target keeps e^-alpha of its weight (four neighbours, and e^-2 alpha and less beyond), and each
// pixel of weight moves a tap by at most 2. In floats 27 products and 9 sums of up to 27 remain
TEST(nine_heads_become_a_convolution)
{
    const double floats = 36 * 27 / 2 * (double)FLT_EPSILON;
    double before = HUGE_VAL;
    for (int step = 0; step < 5; step++)
    {
        double alpha = (const double[]){2, 5, 10, 20, 40}[step];
        double aside = 4 * exp(-alpha) + 8 * exp(-2 * alpha), bound = 9 * CHANNELS * 2 * aside + floats;
        double error = fmax(layer_error(alpha, 7, 6), layer_error(alpha, 19, 20));
        if (!(error <= bound)) fail_msg("alpha %g: error %g, expected %g at most", alpha, error, bound);
        assert_true(error < before || error <= floats);
        before = error;
    }
    // far from a convolution where the heads are blunt
    assert_true(layer_error(0.5, 7, 6) > 0.1);
}

// the limit is a shift: no rounding but that of the sum
TEST(infinitely_sharp_heads_are_a_convolution)
{
    static const int sizes[][2] = {{7, 6}, {1, 1}, {1, 5}, {3, 1}, {19, 20}};
    for (int s = 0; s < 5; s++)
        assert_true(layer_error((double)INFINITY, sizes[s][0], sizes[s][1]) <= 36 * 27 / 2 * (double)FLT_EPSILON);
}

// halfway between two pixels both count
TEST(an_infinitely_sharp_head_shares_among_equals)
{
    float row[5];
    sac_head head = sac_head_isotropic((double)INFINITY, 0, 0.5);
    sac_heads *heads = create(1, 5, &head, 1);
    void *workspace = sac_alloc(sac_heads_workspace_size(heads, 1));
    sac_heads_row(heads, 0, row, 2, workspace);
    for (int j = 0; j < 5; j++) assert_true(row[j] == (j == 1 || j == 2 ? 0.5f : 0.0f));
    sac_heads_row(heads, 0, row, 0, workspace);
    for (int j = 0; j < 5; j++) assert_true(row[j] == (j == 0 ? 1.0f : 0.0f));
    sac_heads_logits(heads, 0, row, 2);
    for (int j = 0; j < 5; j++) assert_true(isinf(row[j]) && row[j] < 0);
    sac_free(workspace);
    sac_heads_destroy(heads);
}

// fewer outputs than channels, or more: the product is taken on the other side
TEST(a_layer_is_the_sum_of_its_heads)
{
    enum
    {
        H = 6,
        W = 9,
        L = H * W
    };
    sac_head list[HEADS];
    int count = make_heads(list);
    static float x[5 * L], weights[HEADS * 5 * 5], mixed[5 * L], out[5 * L];
    fill_uniform(x, 5 * L, 1);
    fill_uniform(weights, HEADS * 5 * 5, 2);
    sac_heads *heads = create(H, W, list, count);
    void *workspace = sac_alloc(sac_heads_workspace_size(heads, 5));
    for (int outputs = 1; outputs <= 5; outputs++)
        for (int channels = 1; channels <= 5; channels++)
        {
            static double expected[5 * L];
            memset(expected, 0, sizeof expected);
            for (int h = 0; h < count; h++)
            {
                sac_heads_mix(heads, h, mixed, L, x, channels, L, workspace);
                for (int o = 0; o < outputs; o++)
                    for (int c = 0; c < channels; c++)
                        for (int i = 0; i < L; i++)
                            expected[o * L + i] +=
                                (double)weights[(h * channels + c) * outputs + o] * (double)mixed[c * L + i];
            }
            sac_heads_layer(heads, out, outputs, L, x, channels, L, weights, NULL, workspace);
            for (int i = 0; i < outputs * L; i++) assert_near((double)out[i], expected[i], HEADS * 5 * mix_tolerance);
        }
    sac_free(workspace);
    sac_heads_destroy(heads);
}

TEST(levels_agree_to_the_bit)
{
    enum
    {
        H = 13,
        W = 29,
        L = H * W
    };
    const sac_cpu_level best = sac_get_cpu_level();
    sac_head list[HEADS];
    int count = make_heads(list);
    static float x[2 * L], weights[HEADS * 2 * 3], out[4][3 * L];
    fill_uniform(x, 2 * L, 1);
    fill_uniform(weights, HEADS * 2 * 3, 2);
    for (int level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
    {
        sac_set_cpu_level((sac_cpu_level)level);
        sac_heads *heads = create(H, W, list, count);
        void *workspace = sac_alloc(sac_heads_workspace_size(heads, 3));
        sac_heads_layer(heads, out[level], 3, L, x, 2, L, weights, NULL, workspace);
        assert_memory_equal(out[level], out[0], sizeof out[0]);
        sac_free(workspace);
        sac_heads_destroy(heads);
    }
    sac_set_cpu_level(best);
}

TEST(bad_fields_are_named)
{
    sac_head head = sac_head_isotropic(1, 0, 0), bad;
    sac_heads_def good = sac_heads_default_def(), def;
    good.height = good.width = 3;
    good.count = 1;
    good.heads = &head;
    sac_heads *heads;
#define REFUSES(change, words)                                               \
    bad = head;                                                              \
    def = good;                                                              \
    change;                                                                  \
    assert_fails(sac_heads_create(&heads, &def), SAC_ERROR_ARGUMENT, words); \
    assert_null(heads)
    REFUSES(def.internal = 0, "default_def");
    REFUSES(def.height = 0, "height");
    REFUSES(def.width = 5000, "width");
    REFUSES(def.count = 0, "count");
    REFUSES(def.heads = NULL, "heads are missing");
    REFUSES((bad.target[1] = (double)NAN, def.heads = &bad), "target");
    REFUSES((bad.precision[0] = -1, def.heads = &bad), "precision");
    REFUSES((bad.precision[1] = 3, def.heads = &bad), "b^2");
    REFUSES((bad.precision[2] = (double)NAN, def.heads = &bad), "precision");
    REFUSES((bad.precision[2] = (double)INFINITY, def.heads = &bad), "precision");
}

TEST(lack_of_memory_is_reported)
{
    sac_head list[HEADS];
    sac_heads_def def = sac_heads_default_def();
    def.height = def.width = 20;
    def.count = make_heads(list);
    def.heads = list;
    sac_heads *heads = NULL;
    assert_survives_lack_of_memory(sac_heads_create(&heads, &def), sac_heads_destroy(heads));
    sac_heads_destroy(NULL);
}

// The heads that nets train look where these look. Logits reach 60, and floats of them are off by 60 2^-23 = 7e-6,
// which is what a weight, at most 1, is off by.
TEST(trained_heads_look_at_the_same_places)
{
    enum
    {
        ROWS = 5,
        COLUMNS = 4,
        L = ROWS * COLUMNS,
        COUNT = 3
    };
    const double roots[COUNT][4] = {{1, 0, 0, 1}, {0.6, -0.3, 0.2, 1.1}, {1.5, 0.4, 0, 0.2}};
    const double targets[COUNT][2] = {{1, -1}, {-0.5, 2}, {0.3, 0.2}};
    float given_targets[2 * COUNT], given_roots[4 * COUNT];
    sac_head list[COUNT];
    for (int h = 0; h < COUNT; h++)
    {
        list[h] = sac_head_from_root(roots[h], targets[h][0], targets[h][1]);
        for (int k = 0; k < 2; k++) given_targets[2 * h + k] = (float)targets[h][k];
        for (int k = 0; k < 4; k++) given_roots[4 * h + k] = (float)roots[h][k];
    }
    static _Alignas(64) unsigned char scratch[SAC_LEARN_SCRATCH];
    const sac_learn l = sac_learn_create(scratch);
    const sac_place_heads g = {COUNT, ROWS, COLUMNS};
    static float tables[COUNT * (2 * ROWS - 1) * (2 * COLUMNS - 1)], weights[COUNT * L * L];
    assert_int_equal(sac_place_heads_tables(&g), sizeof tables / sizeof *tables);
    l.gaussian_forward(&l, &g, tables, given_targets, given_roots);
    l.place_heads_forward(&l, &g, weights, tables);
    sac_heads *heads = create(ROWS, COLUMNS, list, COUNT);
    void *workspace = sac_alloc(sac_heads_workspace_size(heads, 1));
    assert_non_null(workspace);
    for (int h = 0; h < COUNT; h++)
        for (int i = 0; i < L; i++)
        {
            float row[64];
            sac_heads_row(heads, h, row, i, workspace);
            for (int j = 0; j < L; j++) assert_near(weights[(h * L + i) * L + j], row[j], 7e-6);
        }
    sac_free(workspace);
    sac_heads_destroy(heads);
}

TESTS(rows_are_softmax_of_the_logits, mixtures_are_rows_times_values, encodings_multiply_to_the_logit,
      the_papers_remark_is_off_by_two, nine_heads_become_a_convolution, infinitely_sharp_heads_are_a_convolution,
      an_infinitely_sharp_head_shares_among_equals, a_layer_is_the_sum_of_its_heads, levels_agree_to_the_bit,
      trained_heads_look_at_the_same_places, bad_fields_are_named, lack_of_memory_is_reported)
