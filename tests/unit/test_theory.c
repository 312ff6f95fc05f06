#include "saccade/theory.h"

#include "files/arrays/safetensors.h"
#include "test.h"

/// The closed forms at places where the answer is known otherwise. The command `saccade theory` checks them against
/// quadrature and against the library's features.

static const double pi = 3.141592653589793;

// x and y in a plane, of these lengths and at this angle
static void place(double x[2], double y[2], double x_length, double y_length, double angle)
{
    x[0] = x_length, x[1] = 0;
    y[0] = y_length * cos(angle), y[1] = y_length * sin(angle);
}

static void assert_relative(double a, double b, double tolerance)
{
    assert_near(a, b, tolerance * fabs(b));
}

TEST(equal_vectors_are_exact_by_trig)
{
    double x[] = {0.7, -0.2, 0.4};
    assert_true(sac_theory_mse_trig(x, x, 3, 10) == 0);
    assert_true(sac_theory_mse_hybrid(x, x, 3, 10, 5) == 0);
    assert_true(sac_theory_mse_exp(x, x, 3, 10) > 0);
}

TEST(opposite_vectors_are_exact_by_exp)
{
    double x[] = {0.7, -0.2, 0.4}, y[] = {-0.7, 0.2, -0.4};
    assert_true(sac_theory_mse_exp(x, y, 3, 10) == 0);
    assert_true(sac_theory_mse_hybrid(x, y, 3, 10, 5) == 0);
    assert_true(sac_theory_mse_trig(x, y, 3, 10) > 0);
}

TEST(errors_fall_as_one_over_the_features)
{
    double x[2], y[2];
    place(x, y, 0.9, 1.1, 1.0);
    assert_relative(sac_theory_mse_trig(x, y, 2, 20), sac_theory_mse_trig(x, y, 2, 10) / 2, 1e-15);
    assert_relative(sac_theory_mse_exp(x, y, 2, 20), sac_theory_mse_exp(x, y, 2, 10) / 2, 1e-15);
    // more directions for the angle: down to the error of the exact weights
    double r_1 = sac_theory_mse_hybrid(x, y, 2, 10, 1), r_5 = sac_theory_mse_hybrid(x, y, 2, 10, 5);
    double exact = sac_theory_mse_hybrid(x, y, 2, 10, 1000000000);
    assert_true(r_1 > r_5 && r_5 > exact && exact > 0);
}

// a vector of zeros: SM = 1 for any other, and sgn(0) = +1 leaves the angle's estimate a fair coin
TEST(zero_vectors)
{
    double zero[] = {0, 0}, y[] = {0.6, 0.8};
    assert_near(sac_theory_angle(zero, y, 2), pi / 2, 1e-15);
    assert_true(sac_theory_mse_hybrid(zero, zero, 2, 10, 5) == 0);
    double z = 1; // |y|^2
    assert_relative(sac_theory_mse_trig(zero, y, 2, 1), exp(z) * pow(1 - exp(-z), 2) / 2, 1e-14);
    assert_relative(sac_theory_mse_exp(zero, y, 2, 1), exp(z) * (1 - exp(-z)), 1e-14);
}

TEST(small_angles_keep_their_digits)
{
    for (double angle = 1e-12; angle < 3; angle *= 10)
    {
        double x[2], y[2];
        place(x, y, 0.8, 1.2, angle);
        assert_relative(sac_theory_angle(x, y, 2), angle, 1e-12);
        // rounding leaves 1e-16 along x in x - y, beside 1e-12 across
        place(x, y, 1.2, 1.2, angle);
        double z = 4 * 1.44 * pow(sin(angle / 2), 2); // |x - y|^2
        double sum = 4 * 1.44 * pow(cos(angle / 2), 2);
        double expected = exp(sum - 2 * 1.44 * cos(angle)) * pow(expm1(-z), 2) / 20;
        assert_relative(sac_theory_mse_trig(x, y, 2, 10), expected, 1e-7);
    }
}

TEST(large_lengths_do_not_overflow_early)
{
    double x[2], y[2];
    place(x, y, 20, 20, pi / 2);
    // exp(|x + y|^2) = exp(800) is beyond doubles, as is the error itself
    assert_true(isinf(sac_theory_mse_exp(x, y, 2, 10)));
    place(x, y, 20, 20, pi);
    assert_true(sac_theory_mse_exp(x, y, 2, 10) < 1e-300);
    place(x, y, 26, 26, 2.0); // |x + y|^2 = 789 is beyond them, with x.y = -281 the error is not
    assert_true(isfinite(sac_theory_mse_exp(x, y, 2, 10)));
    assert_true(sac_theory_mse_trig(x, x, 2, 10) == 0);
    assert_true(sac_theory_mse_hybrid(x, x, 2, 10, 5) == 0);
}

// with t = 1 it is the standard deviation that Eq. 14 gives for equal lengths
TEST(deviation_is_the_root_of_the_error)
{
    for (double angle = 0.1; angle < 3.2; angle += 0.5)
    {
        double x[2], y[2];
        place(x, y, 1.3, 1.3, angle);
        assert_relative(sac_theory_deviation(1.3, angle, 12, 1), sqrt(sac_theory_mse_exp(x, y, 2, 12)), 1e-12);
        assert_relative(sac_theory_deviation(1.3, angle, 12, 3), 3 * sqrt(sac_theory_mse_exp(x, y, 2, 12)), 1e-12);
    }
}

// the reference values span many powers of ten: each to 1e-10 of itself
TEST(every_reference_value)
{
    sac_tensors *file;
    assert_ok(sac_tensors_load(&file, "tests/golden/data/theory_a.safetensors", 1 << 20));
    const double *x = sac_tensors_find(file, "x")->data, *y = sac_tensors_find(file, "y")->data;
    const int32_t *m = sac_tensors_find(file, "m")->data, *r = sac_tensors_find(file, "r")->data;
    const double *trig = sac_tensors_find(file, "mse_trig")->data, *positive = sac_tensors_find(file, "mse_exp")->data;
    const double *hybrid = sac_tensors_find(file, "mse_hyb")->data;
    int count = (int)sac_tensors_find(file, "x")->shape[0], size = (int)sac_tensors_find(file, "x")->shape[1];
    assert_true(count > 10);
    for (int i = 0; i < count; i++, x += size, y += size)
    {
        assert_relative(sac_theory_mse_trig(x, y, size, m[i]), trig[i], 1e-10);
        assert_relative(sac_theory_mse_exp(x, y, size, m[i]), positive[i], 1e-10);
        assert_relative(sac_theory_mse_hybrid(x, y, size, m[i], r[i]), hybrid[i], 1e-10);
    }
    sac_tensors_destroy(file);
}

TESTS(equal_vectors_are_exact_by_trig, opposite_vectors_are_exact_by_exp, errors_fall_as_one_over_the_features,
      zero_vectors, small_angles_keep_their_digits, large_lengths_do_not_overflow_early,
      deviation_is_the_root_of_the_error, every_reference_value)
