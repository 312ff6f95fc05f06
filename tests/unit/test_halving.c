#include <math.h>

#include "test.h"

#include "base/random.h"
#include "train/halving.h"

/// What goes on from a rung: as many as the reduction says, and none that is worse than one that does not.

enum
{
    POINTS = 40
};

// the plain definition: i stands before k when it is higher, or equal and earlier; a number stands before what is none
static bool is_before(const double *scores, int i, int k)
{
    if (isnan(scores[i]) != isnan(scores[k])) return isnan(scores[k]);
    if (!isnan(scores[i]) && scores[i] != scores[k]) return scores[i] > scores[k];
    return i < k;
}

TEST(points_are_ranked_as_a_plain_count_ranks_them)
{
    double scores[POINTS];
    int order[POINTS];
    for (uint64_t draw = 0; draw < 500; draw++)
    {
        sac_stream stream = sac_stream_create(7, draw, 0);
        int count = 1 + (int)sac_stream_below(&stream, POINTS);
        for (int i = 0; i < count; i++)
        {
            // few different values, so that many are equal, and some that are none
            uint32_t value = sac_stream_below(&stream, 9);
            scores[i] = value == 0 ? NAN : value == 1 ? -INFINITY : value == 2 ? INFINITY : (double)value - 5;
        }
        sac_halving_rank(order, scores, count);
        for (int rank = 0; rank < count; rank++)
        {
            int before = 0;
            for (int k = 0; k < count; k++) before += k != order[rank] && is_before(scores, k, order[rank]);
            assert_int_equal(before, rank);
        }
    }
}

TEST(each_rung_keeps_its_share_and_at_least_one)
{
    const sac_halving third = {.reduction = 3, .rung = 10}, half = {.reduction = 2, .rung = 7};
    assert_int_equal(sac_halving_kept(&third, 27), 9);
    assert_int_equal(sac_halving_kept(&third, 9), 3);
    assert_int_equal(sac_halving_kept(&third, 8), 2);
    assert_int_equal(sac_halving_kept(&third, 3), 1);
    assert_int_equal(sac_halving_kept(&third, 2), 1);
    assert_int_equal(sac_halving_kept(&half, 5), 2);
    for (int count = 2; count < 1000; count++)
    {
        int kept = sac_halving_kept(&half, count);
        assert_true(kept >= 1 && kept < count);
    }
}

TEST(each_rung_is_the_reduction_times_as_far)
{
    const sac_halving third = {.reduction = 3, .rung = 10};
    assert_int_equal(sac_halving_budget(&third, 0), 10);
    assert_int_equal(sac_halving_budget(&third, 1), 30);
    assert_int_equal(sac_halving_budget(&third, 4), 810);
    assert_int_equal(sac_halving_budget(&third, 60), UINT64_MAX);
}

TEST(a_point_is_worth_the_median_of_its_seeds)
{
    double odd[] = {3, NAN, 9, -1, 4}, even[] = {2, 8, 1, 4}, spoilt[] = {5, NAN}, none[] = {NAN};
    assert_near(sac_halving_score(odd, 5), 3, 0);
    assert_near(sac_halving_score(even, 4), 3, 0);
    assert_true(isnan(sac_halving_score(spoilt, 2)));
    assert_true(isnan(sac_halving_score(none, 1)));
}

TESTS(points_are_ranked_as_a_plain_count_ranks_them, each_rung_keeps_its_share_and_at_least_one,
      each_rung_is_the_reduction_times_as_far, a_point_is_worth_the_median_of_its_seeds)
