#include "course_scene.h"
#include "legs_scene.h"

/// The course of obstacles: that it can be steered through, and the tasks that learn it.

// x after 20 s, for a hand that turns all legs' abductions together towards the next opening: by three times the
// heading that is missing, whose sine is to be `gain` times the metres that the opening lies aside, up to 0.7.
static double steer(uint64_t seed, float gain)
{
    scene s;
    open_scene(&s, "legs:obstacles", NULL, "");
    const float *opening = part(&s, "opening");
    for (int i = 0; i < s.spec->observation_count; i++)
        if (s.parts[i] != opening) s.parts[i] = NULL;
    assert_ok(sac_env_reset(s.env, seed, &s.row));
    for (int step = 0; !s.terminated && !s.truncated; step++)
    {
        const float aside = gain * opening[1], sine = aside > 0.7f ? 0.7f : aside < -0.7f ? -0.7f : aside;
        const float turn = gain > 0 ? 3 * (sine - opening[2]) : 0;
        if (step % 10 == 0)
            for (int i = 0; i < s.spec->action_size; i++)
            {
                const float middle = (s.spec->action_low[i] + s.spec->action_high[i]) / 2;
                const float cut = turn > 1 ? 1 : turn < -1 ? -1 : turn;
                s.action[i] = i < 12 && i % 3 == 0 ? cut * s.spec->action_low[i] : middle;
            }
        assert_ok(sac_env_step(s.env, &s.row));
    }
    const double x = column(&s, X);
    close_scene(&s);
    return x;
}

// One number is enough to steer by: a hand gets around two walls at least, and straight on no robot gets past two.
TEST(the_course_of_obstacles_can_be_steered)
{
    for (uint64_t seed = 1000; seed < 1004; seed++)
    {
        const double by_hand = steer(seed, 1), straight = steer(seed, 0);
        if (!(by_hand > 4.7 && straight < 4.5)) fail_msg("seed %d: %g m, %g m", (int)seed, by_hand, straight);
    }
}

// what teachers are told of the course is what the course is
TEST(openings_are_beside_the_walls)
{
    scene s;
    open_scene(&s, "legs:obstacles", NULL, "");
    const float *opening = part(&s, "opening"), *truth = part(&s, "truth");
    for (uint64_t seed = 1000; seed < 1010; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        assert_true(opening[0] > 2 && opening[0] < 2.1f); // the first wall's middle
        // of 2 m it leaves 0.7 to 1 m at one edge, and its middle lies 0.5 to 0.65 m aside
        assert_true(fabsf(opening[1]) >= 0.499f && fabsf(opening[1]) <= 0.651f && opening[2] == truth[6]);
    }
    close_scene(&s);
}

// as Choromanski et al. (2021) count them; test_hierarchical.c does the sums
TEST(the_tasks_of_the_obstacles_have_the_articles_numbers)
{
    assert_int_equal(course_count("tasks/legs-obstacles.yaml"), 1786);
    assert_int_equal(course_count("tasks/legs-obstacles-rank.yaml"), 1786);
    assert_int_equal(course_count("tasks/legs-obstacles-cnn.yaml"), 14954);
    assert_int_equal(course_count("tasks/legs-obstacles-blind.yaml"), 10 * (18 + 1) + 3 * (10 + 1) + 399);
}

TESTS(the_course_of_obstacles_can_be_steered, openings_are_beside_the_walls,
      the_tasks_of_the_obstacles_have_the_articles_numbers)
