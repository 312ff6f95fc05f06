#include "base/number.h"
#include "numerics/student.h"
#include "test.h"

#include <float.h>

/// Numbers for people: digits that say something, and the quantile that an interval is made of.

// two-sided 95 % for 1..120 degrees of freedom: mpmath's inverse of the regularised incomplete beta with 40 digits
static const double exact[120] = {
    12.706204736174705, 4.3026527297494639, 3.1824463052837096, 2.7764451051977944, 2.5705818356363155,
    2.44691185114497,   2.3646242515927853, 2.3060041352041667, 2.2621571627982055, 2.2281388519862747,
    2.2009851600916399, 2.1788128296672289, 2.1603686564627925, 2.1447866879178038, 2.1314495455597757,
    2.1199052992212547, 2.1098155778333171, 2.1009220402410385, 2.0930240544083098, 2.0859634472658648,
    2.0796138447276804, 2.0738730679040262, 2.0686576104190487, 2.0638985616280258, 2.0595385527532977,
    2.0555294386428732, 2.0518305164802856, 2.0484071417952452, 2.0452296421327043, 2.0422724563012383,
    2.0395134463964085, 2.036933343460102,  2.0345152974493387, 2.032244509317719,  2.0301079282503432,
    2.0280940009804509, 2.0261924630291098, 2.0243941639119696, 2.0226909200367611, 2.0210753903062734,
    2.019540970441376,  2.0180817028184447, 2.0166921992278244, 2.0153675744437638, 2.0141033888808467,
    2.0128955989194292, 2.0117405137297659, 2.0106347576242322, 2.0095752371292397, 2.0085591121007611,
    2.007583770315836,  2.0066468050616883, 2.005745995317869,  2.004879288188057,  2.0040447832891459,
    2.0032407188478722, 2.0024654592910073, 2.0017174841452361, 2.0009953780882677, 2.0002978220142605,
    1.9996235849949397, 1.998971517033379,  1.9983405425207416, 1.997729654317693,  1.9971379083920041,
    1.996564418952312,  1.9960083540252967, 1.9954689314298439, 1.994945415107238,  1.9944371117711866,
    1.9939433678456258, 1.9934635666618724, 1.9929971258898551, 1.9925434951809327, 1.9921021540022421,
    1.9916726096446645, 1.991254395388385,  1.9908470688116909, 1.9904502102301289, 1.9900634212544462,
    1.9896863234569029, 1.9893185571365725, 1.9889597801751628, 1.9886096669757091, 1.988267907477222,
    1.9879342062390206, 1.9876082815890711, 1.9872898648311697, 1.9869786995062815, 1.9866745407037684,
    1.9863771544186181, 1.9860863169511304, 1.9858018143458234, 1.9855234418666044, 1.9852510035054982,
    1.9849843115224575, 1.9847231860139847, 1.9844674545084818, 1.9842169515864175, 1.9839715185235523,
    1.9837310029556062, 1.9834952585628797, 1.983264144773457,  1.9830375264837259, 1.9828152737950482,
    1.9825972617655006, 1.9823833701756912, 1.9821734833077272, 1.9819674897364826, 1.9817652821323723,
    1.981566757074901,  1.9813718148763059, 1.9811803594146612, 1.9809922979758573, 1.98080754110391,
    1.9806260024590901, 1.9804475986834027, 1.9802722492729746, 1.9800998764569399, 1.9799304050824408,
};

// A probability is a sum of at most freedom / 2 + 1 positive terms, each with two roundings a step, and the quantile
// moves by that error over the density there: relative to the quantile at most 20 times (one degree of freedom).
TEST(quantiles_are_exact)
{
    for (int n = 1; n <= 120; n++)
    {
        double t = sac_student_quantile(0.95, n), tolerance = 20 * (n + 8) * DBL_EPSILON;
        assert_true(fabs(t - exact[n - 1]) <= tolerance * exact[n - 1]);
    }
}

TEST(quantiles_have_their_closed_forms)
{
    for (double p = 0.05; p < 1; p += 0.05)
    {
        assert_near(sac_student_quantile(p, 1), tan(0.5 * acos(-1) * p), 1e-12 * tan(0.5 * acos(-1) * p)); // Cauchy
        assert_near(sac_student_quantile(p, 2), p * sqrt(2 / (1 - p * p)), 1e-12);
        for (int n = 1; n < 2000; n = 2 * n + 1)
            assert_near(sac_student_within(sac_student_quantile(p, n), n), p, 1e-12);
    }
    // the normal distribution's, which t exceeds by (z + z^3) / (4 n) and less
    double z = 1.959963984540054, t = sac_student_quantile(0.95, 100000);
    assert_true(t > z && t - z < (z + z * z * z) / 4e5 * 1.001);
}

static void assert_spread(double mean, double spread, const char *expected)
{
    char text[2 * SAC_VALUE_SIZE];
    sac_format_spread(text, mean, " +- ", spread);
    assert_string_equal(text, expected);
}

static void assert_value(double value, const char *expected)
{
    char text[SAC_VALUE_SIZE];
    sac_format_value(text, value);
    assert_string_equal(text, expected);
}

// of whatever scale returns are, a mean shows as much as its spread lets it say
TEST(digits_follow_the_scale)
{
    assert_spread(914.32, 20.14, "914.3 +- 20.1");
    assert_spread(0.5123, 0.0344, "0.512 +- 0.034");
    assert_spread(0.5, 0.5, "0.50 +- 0.50");
    assert_spread(0.00042, 0.00013, "0.00042 +- 0.00013");
    assert_spread(-1234567.8, 1000, "-1234567.8 +- 1000.0");
    assert_spread(0.25, 0, "0.250 +- 0.000");
    assert_spread(0, 0, "0.0 +- 0.0");
    assert_spread(20.3, 1e-14, "20.3 +- 0.0"); // the rounding of a sum is no spread
    assert_spread(1.234e-7, 4.5e-8, "0.000000123 +- 0.000000045");
    assert_spread(1e-300, 1e-301, "1e-300 +- 1e-301");
    assert_spread(1e300, 1e-300, "1e+300 +- 0.0");
    assert_spread(NAN, 1, "nan +- 1.0");
    assert_spread(-INFINITY, NAN, "-inf +- nan");
    assert_value(914.32, "914.3");
    assert_value(0.4937, "0.494");
    assert_value(0.5, "0.5");
    assert_value(0.0341, "0.0341");
    assert_value(-0.1, "-0.1");
    assert_value(0, "0.0");
    assert_value(1.234e-7, "0.000000123");
    assert_value(1e-20, "1e-20");
    assert_value(-1e200, "-1e+200");
    assert_value(INFINITY, "inf");
}

TESTS(quantiles_are_exact, quantiles_have_their_closed_forms, digits_follow_the_scale)
