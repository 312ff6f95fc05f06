#include "base/random.h"
#include "quadrature.h"
#include "random.h"
#include "saccade/theory.h"
#include "test.h"
#include "theorems.h"

/// What `saccade theory` measures with: quadrature, scenes, statistics, and how a verdict comes about.

static const double pi = 3.141592653589793;

static double power(const void *user, double g)
{
    return pow(g, *(const int *)user);
}

static double wave(const void *user, double g)
{
    return cos(*(const double *)user * g);
}

static double growth(const void *user, double g)
{
    return exp(*(const double *)user * g);
}

static double mixed(const void *user, double g, double h)
{
    const double *ab = user;
    return exp(ab[0] * g) * cos(ab[0] * g + ab[1] * h);
}

// moments 1, 0, 1, 0, 3, ..., 105; characteristic and generating function
TEST(quadrature_knows_the_normal_distribution)
{
    static const double moments[] = {1, 0, 1, 0, 3, 0, 15, 0, 105};
    for (int p = 0; p < 9; p++) assert_near(theory_expect(power, &p), moments[p], 1e-13 * fmax(1, moments[p]));
    for (double a = 0.1; a < 6; a += 0.7)
    {
        assert_near(theory_expect(wave, &a), exp(-a * a / 2), 1e-14);
        assert_near(theory_expect(growth, &a) / exp(a * a / 2), 1, 1e-13);
    }
    // E exp(a g) cos(a g + b h) = Re exp((a + ia)^2 / 2) exp(-b^2 / 2) = cos(a^2) exp(-b^2 / 2)
    const double ab[] = {1.1, 0.6};
    assert_near(theory_expect_2(mixed, ab), cos(ab[0] * ab[0]) * exp(-ab[1] * ab[1] / 2), 1e-13);
}

TEST(pairs_have_their_lengths_and_angle)
{
    for (int i = 0; i < 50; i++)
    {
        double x[16], y[16], angle = pi * i / 49, x_square = 0, y_square = 0;
        int size = 2 + i % 15;
        theory_pair(x, y, size, 0.7, 1.3, angle, 3, (uint64_t)i);
        for (int d = 0; d < size; d++) x_square += x[d] * x[d], y_square += y[d] * y[d];
        assert_near(x_square, 0.49, 1e-14);
        assert_near(y_square, 1.69, 1e-14);
        assert_near(sac_theory_angle(x, y, size), angle, 1e-7); // at 0 and pi the root of rounding
    }
}

TEST(top_is_the_head_of_the_sorted_list)
{
    sac_stream stream = sac_stream_create(4, 0, 0);
    for (int i = 0; i < 200; i++)
    {
        double scores[40];
        int top[10], count = 10 + (int)sac_stream_below(&stream, 31);
        for (int k = 0; k < count; k++) scores[k] = sac_stream_below(&stream, 12); // many ties
        theory_top(top, 10, scores, count);
        for (int rank = 0; rank < 10; rank++)
        {
            int before = 0; // tokens that come first: larger, or equal with a lower index
            for (int k = 0; k < count; k++)
                before += scores[k] > scores[top[rank]] || (scores[k] == scores[top[rank]] && k < top[rank]);
            assert_int_equal(before, rank);
        }
    }
}

TEST(moments)
{
    const double values[] = {1, 4, 4, 7, 9};
    theory_moments m = {0};
    for (int i = 0; i < 5; i++) theory_add(&m, values[i]);
    assert_near(m.mean, 5, 1e-15);
    assert_near(theory_variance(&m), 9.5, 1e-14);
    assert_near(theory_error(&m), sqrt(1.9), 1e-15);
    assert_int_equal(theory_most_failures(100, 0.1), 19); // 10 + 3 * 3
    assert_int_equal(theory_most_failures(100, 0), 0);
}

static void state(theory_report *report, theory_kind kind, bool holds)
{
    theory_row *row = theory_claim(report, kind, "claim %d", 1);
    theory_predict(row, "predicted %d", 2);
    theory_measure(row, "measured");
    theory_measure(row, " %d", 3);
    theory_judge(row, holds);
}

TEST(verdicts_come_from_what_was_measured)
{
    theory_report report = {0};
    state(&report, THEORY_PRINTED, true);
    assert_string_equal(report.rows[0].claim, "claim 1");
    assert_string_equal(report.rows[0].predicted, "predicted 2");
    assert_string_equal(report.rows[0].measured, "measured 3");
    assert_string_equal(theory_verdict(&report), "HOLDS");
    state(&report, THEORY_PRINTED, false);
    assert_string_equal(theory_verdict(&report), "FAILS");
    assert_true(theory_is_sound(&report));
    state(&report, THEORY_MENDED, true);
    assert_string_equal(theory_verdict(&report), "FAILS as printed; mended: HOLDS");
    state(&report, THEORY_FURTHER, false);
    assert_string_equal(theory_verdict(&report), "FAILS as printed; mended: HOLDS");
    assert_false(theory_is_sound(&report));
    state(&report, THEORY_MENDED, false);
    assert_string_equal(theory_verdict(&report), "FAILS");

    theory_report further = {0};
    state(&further, THEORY_PRINTED, true);
    state(&further, THEORY_FURTHER, false);
    assert_string_equal(theory_verdict(&further), "HOLDS");
    assert_false(theory_is_sound(&further));
}

TEST(names_are_unlike_each_other)
{
    for (const theory_theorem *a = theory_theorems; a->name; a++)
    {
        assert_non_null(strchr(a->name, '-'));
        for (const theory_theorem *b = a + 1; b->name; b++) assert_string_not_equal(a->name, b->name);
    }
}

TESTS(quadrature_knows_the_normal_distribution, pairs_have_their_lengths_and_angle, top_is_the_head_of_the_sorted_list,
      moments, verdicts_come_from_what_was_measured, names_are_unlike_each_other)
