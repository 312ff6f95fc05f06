#include "test.h"

#include "../../bench/crossing.h"

/// The rule by which `saccade bench train` says when a curve has come to a target.

// which evaluation it is at; -1: none
static int crossing_of(const double *evaluations, int count, double target)
{
    bench_crossing crossing = bench_crossing_of(target);
    for (int i = 0; i < count; i++)
        if (bench_crosses(&crossing, evaluations[i])) return i;
    return -1;
}

TEST(a_single_evaluation_beyond_the_target_is_luck)
{
    const double lucky[] = {700, 810, 730, 740, 790, 815, 820};
    assert_int_equal(crossing_of(lucky, 7, 800), 5);
    assert_int_equal(crossing_of((const double[]){900}, 1, 800), -1);
    assert_int_equal(crossing_of((const double[]){900, 700}, 2, 800), 1); // their mean is the target
    assert_int_equal(crossing_of((const double[]){799, 800}, 2, 800), -1);
}

TEST(what_is_not_a_number_reaches_nothing)
{
    const double broken[] = {900, NAN, 900, 900};
    assert_int_equal(crossing_of(broken, 4, 800), 3);
}

TESTS(a_single_evaluation_beyond_the_target_is_luck, what_is_not_a_number_reaches_nothing)
