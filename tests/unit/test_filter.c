#include "saccade/filter.h"

#include <math.h>

#include "failing_memory.h"
#include "files/arrays/safetensors.h"
#include "test.h"

/// Convolutions as layers of heads and back, against the bounds that saccade/filter.h derives.

enum
{
    MOST_PIXELS = 400,
    MOST_CHANNELS = 3,
    MOST_OUTPUTS = 4,
    MOST_TAPS = 49,
    SHAPES = 7
};

// K, channels, outputs, height, width: even K, one pixel, one row, pictures smaller than the window
static const int shapes[SHAPES][5] = {{1, 1, 1, 1, 1}, {2, 1, 2, 4, 3}, {3, 3, 4, 7, 6},  {3, 2, 1, 1, 9},
                                      {4, 1, 1, 9, 5}, {5, 2, 3, 3, 4}, {7, 1, 2, 12, 11}};
static const sac_padding paddings[] = {SAC_PADDING_NONE, SAC_PADDING_ZEROS, SAC_PADDING_REPEAT};

static float weights[MOST_TAPS * MOST_CHANNELS * MOST_OUTPUTS], bias[MOST_OUTPUTS];
static float picture[MOST_CHANNELS * MOST_PIXELS], attended[MOST_OUTPUTS * MOST_PIXELS];
static double convolved[MOST_OUTPUTS * MOST_PIXELS];

static sac_filter make(const int shape[5], sac_planes *planes)
{
    *planes = (sac_planes){picture, shape[3], shape[4]};
    fill_uniform(picture, (size_t)(shape[1] * shape[3] * shape[4]), 1);
    fill_uniform(weights, (size_t)(shape[0] * shape[0] * shape[1] * shape[2]), 2);
    fill_uniform(bias, (size_t)shape[2], 3);
    return (sac_filter){shape[0], shape[1], shape[2], weights, bias};
}

// the largest difference of the layer's outputs from the convolution's; -1 where there is no output
static double distance(const sac_filter *layer, const sac_filter *filter, const sac_head *heads, int count,
                       const sac_planes *planes, sac_padding padding)
{
    int height = planes->height, width = planes->width;
    sac_filter_size(filter->size, padding, &height, &width);
    if (height < 1 || width < 1) return -1;
    assert_ok(sac_filter_attend(layer, attended, heads, count, planes, padding));
    sac_filter_convolve(filter, convolved, planes, padding);
    double worst = 0;
    for (int i = 0; i < filter->outputs * height * width; i++)
        worst = fmax(worst, fabs((double)attended[i] - convolved[i]));
    return worst;
}

TEST(heads_are_the_convolution_within_the_bound)
{
    static const double alphas[] = {0.02, 0.3, 1, 2.5, 5, 10, 20, 46, (double)INFINITY};
    for (int s = 0; s < SHAPES; s++)
        for (size_t p = 0; p < 3; p++)
            for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++)
            {
                sac_planes planes;
                const sac_filter f = make(shapes[s], &planes);
                sac_head heads[MOST_TAPS];
                sac_filter_heads(heads, f.size, alphas[a]);
                const double off = distance(&f, &f, heads, f.size * f.size, &planes, paddings[p]);
                assert_true(off <= sac_filter_bound(&f, alphas[a], &planes, paddings[p]));
            }
}

// The bound is no empty one: a picture that is 1 at a single token and 0 elsewhere, seen by a single tap of weight 1
// from the far end, comes within a hundredth of it at the token itself: the leak is what is missing there.
TEST(the_bound_is_reached)
{
    static const double alphas[] = {0.5, 1, 2, 4, 8};
    enum
    {
        SIDE = 19
    };
    for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++)
    {
        const float one = 1;
        for (int i = 0; i < SIDE * SIDE; i++) picture[i] = i == SIDE * SIDE / 2;
        const sac_filter f = {1, 1, 1, &one, NULL};
        const sac_planes planes = {picture, SIDE, SIDE};
        sac_head head;
        sac_filter_heads(&head, 1, alphas[a]);
        const double off = distance(&f, &f, &head, 1, &planes, SAC_PADDING_NONE);
        const double bound = sac_filter_bound(&f, alphas[a], &planes, SAC_PADDING_NONE);
        assert_true(off <= bound && off >= 0.99 * bound);
    }
}

// 1 - theta^-2 by brute force over a large square of tokens, and its leading term 4 e^-alpha
TEST(the_leak_is_a_sum_over_the_plane)
{
    for (double alpha = 0.05; alpha < 40; alpha *= 1.7)
    {
        double all = 0;
        for (int y = -60; y <= 60; y++)
            for (int x = -60; x <= 60; x++) all += exp(-alpha * (x * x + y * y));
        if (alpha < 3) assert_near(sac_heads_leak(alpha), 1 - 1 / all, 1e-12);
        // between 4 q / (1 + ...)^2 and 4 q (1 + q + q^3 ...)^2
        const double q = exp(-alpha);
        assert_true(sac_heads_leak(alpha) <= 4 * q * (1 + 2 * q));
        assert_true(alpha < 3 || sac_heads_leak(alpha) >= 4 * q * (1 - 4 * q));
    }
    assert_true(sac_heads_leak((double)INFINITY) == 0);
    assert_true(sac_heads_leak(1e-9) <= 1);
}

// what is beyond the border by each padding, on paper: one row 1 2 3, taps 10 1 100
TEST(paddings_are_what_they_say)
{
    static const float x[] = {1, 2, 3};
    static const float taps[9] = {0, 0, 0, 10, 1, 100, 0, 0, 0};
    const sac_filter f = {3, 1, 1, taps, NULL};
    double out[3];
    sac_filter_convolve(&f, out, &(sac_planes){x, 1, 3}, SAC_PADDING_ZEROS);
    assert_true(out[0] == 201 && out[1] == 312 && out[2] == 23);
    sac_filter_convolve(&f, out, &(sac_planes){x, 1, 3}, SAC_PADDING_REPEAT);
    assert_true(out[0] == 211 && out[1] == 312 && out[2] == 323);
    static const float tall[] = {9, 9, 9, 1, 2, 3, 9, 9, 9};
    sac_filter_convolve(&f, out, &(sac_planes){tall, 3, 3}, SAC_PADDING_NONE);
    assert_true(out[0] == 312);
}

// Heads of the convolution, turned back: its own weights within max |w| (leak + theta^2 - 1), as each tap gives away
// the leak and gets what the others lose to it; exactly those in the limit.
TEST(heads_of_a_convolution_are_that_convolution)
{
    static const double alphas[] = {1, 3, 8, 20, (double)INFINITY};
    static float back[MOST_TAPS * MOST_CHANNELS * MOST_OUTPUTS];
    for (int s = 0; s < SHAPES; s++)
        for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++)
        {
            sac_planes planes;
            const sac_filter f = make(shapes[s], &planes);
            const int taps = f.size * f.size, count = taps * f.channels * f.outputs;
            sac_head heads[MOST_TAPS];
            sac_filter_heads(heads, f.size, alphas[a]);
            sac_filter_of_heads(back, NULL, f.size, heads, taps, f.weights, f.channels, f.outputs, 32, 32);
            const double leak = sac_heads_leak(alphas[a]), rounding = (taps + 2) * 0x1p-24;
            const double tolerance = (leak + leak / (1 - leak)) + rounding; // |w| <= 1
            for (int i = 0; i < count; i++)
                if (isinf(alphas[a]))
                    assert_true(back[i] == f.weights[i]);
                else
                    assert_near((double)back[i], (double)f.weights[i], tolerance);
        }
}

// Heads of any place and form are the convolution that is made of them, but for what they see outside its window.
TEST(any_heads_are_a_convolution)
{
    sac_head heads[] = {sac_head_isotropic(0.7, 0.4, -1.2),
                        {{-0.6, 0.3}, {3.9, -1.4, 1}},
                        {{0, 1}, {2, 0, 0.3}},
                        sac_head_from_root((const double[]){0.9, 0.4, 0, 1.1}, 1.6, 0),
                        {{0, 0}, {0, 0, 0}}};
    enum
    {
        COUNT = sizeof heads / sizeof *heads
    };
    static float back[MOST_TAPS * MOST_CHANNELS * MOST_OUTPUTS];
    for (int size = 3; size <= 7; size += 2)
        for (size_t p = 0; p < 2; p++)
        {
            sac_planes planes;
            const int shape[] = {size, 2, 3, 12, 11};
            const sac_filter layer = make(shape, &planes);
            double outside[COUNT];
            sac_filter_of_heads(back, outside, size, heads, COUNT, layer.weights, 2, 3, 12 + size - 1, 11 + size - 1);
            sac_filter f = layer;
            f.weights = back;
            const double off = distance(&layer, &f, heads, COUNT, &planes, paddings[p]);
            assert_true(off <= sac_filter_outside_bound(&layer, outside, heads, COUNT, &planes, paddings[p]));
            assert_true(outside[4] > 0.5 && outside[1] < (size < 5 ? 1 : 0.2));
        }
}

static const float *golden(const sac_tensors *tensors, const char *name, int rank, const int64_t *shape)
{
    const sac_tensor *tensor;
    assert_ok(sac_tensors_get(&tensor, tensors, name, SAC_F32, rank, shape));
    return tensor->data;
}

// The reference's convolution of 3 x 3 with a repeated border, and its nine heads at alpha = 20, both in double and
// rounded to floats (relative 2^-24; the sums are below 64). The layer is within the bound of either.
TEST(the_reference_agrees)
{
    enum
    {
        PIXELS = 42,
        INPUTS = 3,
        RESULTS = 4
    };
    sac_tensors *t;
    assert_ok(sac_tensors_load(&t, SAC_SOURCE_DIR "/tests/golden/data/conv_a.safetensors", 1 << 24));
    const float *x = golden(t, "X", 2, (const int64_t[]){PIXELS, INPUTS});
    const float *edge = golden(t, "conv_edge", 2, (const int64_t[]){PIXELS, RESULTS});
    const float *nine = golden(t, "out_nine", 2, (const int64_t[]){PIXELS, RESULTS});
    for (int i = 0; i < PIXELS * INPUTS; i++) picture[i % INPUTS * PIXELS + i / INPUTS] = x[i];
    const sac_filter f = {3, INPUTS, RESULTS, golden(t, "Wv", 3, (const int64_t[]){9, INPUTS, RESULTS}),
                          golden(t, "b", 1, (const int64_t[]){RESULTS})};
    const sac_planes planes = {picture, 7, 6};
    sac_head heads[9];
    sac_filter_heads(heads, 3, 20);
    const double bound = sac_filter_bound(&f, 20, &planes, SAC_PADDING_REPEAT), rounding = 64 * 0x1p-24;
    assert_true(bound < 1e-3);
    assert_true(distance(&f, &f, heads, 9, &planes, SAC_PADDING_REPEAT) <= bound);
    for (int i = 0; i < PIXELS * RESULTS; i++)
    {
        const int at = i % RESULTS * PIXELS + i / RESULTS;
        assert_near(convolved[at], (double)edge[i], rounding);
        assert_near((double)attended[at], (double)nine[i], bound + rounding);
    }
    sac_tensors_destroy(t);
}

TEST(a_lack_of_memory_is_survived)
{
    sac_planes planes;
    const sac_filter f = make(shapes[2], &planes);
    sac_head heads[9];
    sac_filter_heads(heads, 3, 4);
    assert_survives_lack_of_memory(sac_filter_attend(&f, attended, heads, 9, &planes, SAC_PADDING_ZEROS), (void)0);
}

TEST(what_cannot_be_is_refused)
{
    sac_planes planes;
    const sac_filter f = make(shapes[5], &planes);
    sac_head heads[25];
    sac_filter_heads(heads, 5, 4);
    assert_fails(sac_filter_attend(&f, attended, heads, 25, &planes, SAC_PADDING_NONE), SAC_ERROR_ARGUMENT,
                 "a picture of 3 x 4 pixels has no place for 5 x 5 taps");
    sac_filter large = f;
    large.size = 17;
    assert_fails(sac_filter_attend(&large, attended, heads, 25, &planes, SAC_PADDING_ZEROS), SAC_ERROR_ARGUMENT,
                 "a convolution of 17 x 17, expected 1 to 16");
    heads[3].target[0] = NAN;
    assert_fails(sac_filter_attend(&f, attended, heads, 25, &planes, SAC_PADDING_ZEROS), SAC_ERROR_ARGUMENT,
                 "the target of head 3 is nan");
}

TESTS(heads_are_the_convolution_within_the_bound, the_bound_is_reached, the_leak_is_a_sum_over_the_plane,
      paddings_are_what_they_say, heads_of_a_convolution_are_that_convolution, any_heads_are_a_convolution,
      the_reference_agrees, a_lack_of_memory_is_survived, what_cannot_be_is_refused)
