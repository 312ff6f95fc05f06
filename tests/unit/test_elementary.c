#include "kernels/elementary.h"

#include "kernels/kernels.h"
#include "test.h"

// errors over the whole range of floats, in units of the last place of the exact result; every 1009th float, which
// meets every exponent and all residues of the mantissa

enum
{
    STEP = 1009,
    BATCH = 1 << 16
};

typedef void array_fn(float *out, const float *in, int count);

static double ulp_of(double exact)
{
    int exponent;
    frexp(exact, &exponent);
    return exponent - 24 < -149 ? 0x1p-149 : ldexp(1, exponent - 24);
}

static double exact_sigmoid(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

// the largest error for x in low..high
static double worst(array_fn *function, double (*exact)(double), float low, float high)
{
    static float in[BATCH], out[BATCH];
    double most = 0;
    uint64_t bits = 0;
    while (bits <= UINT32_MAX)
    {
        int count = 0;
        for (; bits <= UINT32_MAX && count < BATCH; bits += STEP)
        {
            float x = sac_bits_float((uint32_t)bits);
            if (x >= low && x <= high) in[count++] = x;
        }
        function(out, in, count);
        for (int i = 0; i < count; i++)
        {
            double expected = exact((double)in[i]), error = fabs((double)out[i] - expected) / ulp_of(expected);
            if (!(error <= most)) most = error;
        }
    }
    return most;
}

static sac_kernels table(void)
{
    return sac_kernels_create(sac_get_cpu_level());
}

TEST(exp_is_within_two_ulp)
{
    sac_kernels k = table();
    // from the last subnormal to the largest finite result
    assert_true(worst(k.exp, exp, -103.97f, 88.7228f) <= 2.0);
}

TEST(exp2_is_within_two_ulp)
{
    sac_kernels k = table();
    assert_true(worst(k.exp2, exp2, -125.0f, 127.999f) <= 2.0);
}

// the softmax kernels' own; its unit is no float, so its error is relative
TEST(exp2_of_near_scores_is_within_seven_units_of_2_to_the_minus_24)
{
    double most = 0;
    for (uint64_t bits = 0; bits <= UINT32_MAX; bits += STEP)
    {
        float t = sac_bits_float((uint32_t)bits);
        if (!(fabsf(t) <= SAC_NEAR)) continue;
        double error = fabs((double)sac_exp2_near(t) * SAC_NEAR_UNIT / exp2((double)t) - 1);
        most = error > most ? error : most;
    }
    assert_true(most <= 7 * 0x1p-24);
}

TEST(sigmoid_is_within_three_ulp)
{
    sac_kernels k = table();
    assert_true(worst(k.sigmoid, exact_sigmoid, -87.0f, INFINITY) <= 3.0);
}

TEST(tanh_is_within_three_ulp)
{
    sac_kernels k = table();
    assert_true(worst(k.tanh, tanh, -INFINITY, INFINITY) <= 3.0);
}

// of t quarter turns, by libm around the nearest one
static double exact_quarter(double t, int ahead)
{
    double n = nearbyint(t), x = (t - n) * 1.5707963267948966;
    int64_t quarter = ((int64_t)n + ahead) & 3;
    double value = quarter % 2 ? cos(x) : sin(x);
    return quarter / 2 ? -value : value;
}

static double exact_sine(double t)
{
    return exact_quarter(t, 0);
}

static double exact_cosine(double t)
{
    return exact_quarter(t, 1);
}

static void sine(float *out, const float *in, int count)
{
    static float cosine[BATCH];
    table().sin_cos(out, cosine, in, count);
}

static void cosine(float *out, const float *in, int count)
{
    static float other[BATCH];
    table().sin_cos(other, out, in, count);
}

// everywhere that the reduction reaches: it is exact
TEST(sine_and_cosine_are_within_two_ulp)
{
    double s = worst(sine, exact_sine, -4194304, 4194304), c = worst(cosine, exact_cosine, -4194304, 4194304);
    if (!(s <= 2.0 && c <= 2.0)) fail_msg("sine %g ulp, cosine %g ulp", s, c);
}

TEST(turns_are_exact)
{
    const float in[] = {0, 1, 2, 3, 4, -1, -2, -3, 4194303, 1e9f, -1e30f, INFINITY, NAN};
    const float sines[] = {0, 1, 0, -1, 0, -1, 0, 1, -1, 0, 0, 0}, cosines[] = {1, 0, -1, 0, 1, 0, -1, 0, 0, 1, 1, 1};
    float s[13], c[13];
    table().sin_cos(s, c, in, 13);
    for (int i = 0; i < 12; i++) assert_true(s[i] == sines[i] && c[i] == cosines[i]);
    assert_true(isnan(s[12]) && isnan(c[12]));
}

TEST(the_ends_are_exact)
{
    sac_kernels k = table();
    const float in[] = {-INFINITY, -200.0f, -104.0f, -0.0f, 0.0f, 88.8f, 200.0f, INFINITY, NAN};
    float out[9];
    k.exp(out, in, 9);
    const float exp_expected[] = {0, 0, 0, 1, 1, INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < 8; i++) assert_true(out[i] == exp_expected[i]);
    assert_true(isnan(out[8]));

    // exp2 stays at its smallest normal value; softmax never needs less
    k.exp2(out, in, 9);
    const float exp2_expected[] = {0x1p-125f, 0x1p-125f, 0x1p-104f, 1, 1, 0, INFINITY, INFINITY};
    for (int i = 0; i < 8; i++)
        if (i != 5) assert_true(out[i] == exp2_expected[i]);
    assert_true(isnan(out[8]));

    k.sigmoid(out, in, 9);
    const float sigmoid_expected[] = {0, 0, 0, 0.5f, 0.5f, 1, 1, 1};
    for (int i = 0; i < 8; i++) assert_true(out[i] == sigmoid_expected[i]);
    assert_true(isnan(out[8]));

    k.tanh(out, in, 9);
    const float tanh_expected[] = {-1, -1, -1, -0.0f, 0, 1, 1, 1};
    for (int i = 0; i < 8; i++) assert_true(out[i] == tanh_expected[i] && !signbit(out[i]) == !signbit(in[i]));
    assert_true(isnan(out[8]));
}

TESTS(exp_is_within_two_ulp, exp2_is_within_two_ulp, exp2_of_near_scores_is_within_seven_units_of_2_to_the_minus_24,
      sigmoid_is_within_three_ulp, tanh_is_within_three_ulp, sine_and_cosine_are_within_two_ulp, turns_are_exact,
      the_ends_are_exact)
