#include "saccade/gait.h"
#include "test.h"

/// Gaits by the clock, and what the toes feel beside it.

static const bool none[SAC_LEGS] = {false}, all[SAC_LEGS] = {true, true, true, true};

// Trot, 0.5 s, 60 %: at 0.1 s the diagonal FR, RL is 1/3 through its stance of 0.3 s. The other one is at 0.7 of its
// period, 1/4 through its swing. At 0.35 s they are at 0.7 and 0.2.
TEST(phases_by_hand)
{
    const sac_gait trot = sac_gait_trot();
    sac_gait_feet feet = sac_gait_at(&trot, 0.1, none);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const bool ahead = leg == 0 || leg == 3;
        assert_int_equal(feet.stands[leg], ahead);
        assert_near(feet.phase[leg], ahead ? 1.0 / 3 : 0.25, 1e-15);
    }
    feet = sac_gait_at(&trot, 0.35, none);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        const bool ahead = leg == 0 || leg == 3;
        assert_int_equal(feet.stands[leg], !ahead);
        assert_near(feet.phase[leg], ahead ? 0.25 : 1.0 / 3, 1e-14);
    }
    // walk: at 0 the front left foot, which is 3/4 ahead, stands, as all do; 0.1 s later it is at 0.8567 and swings
    const sac_gait walk = sac_gait_walk();
    feet = sac_gait_at(&walk, 0, all);
    for (int leg = 0; leg < SAC_LEGS; leg++) assert_true(feet.stands[leg] && feet.foot[leg] == SAC_FOOT_STANCE);
    feet = sac_gait_at(&walk, 0.1, none);
    assert_true(!feet.stands[1] && feet.stands[0] && feet.stands[2] && feet.stands[3]);
    assert_near(feet.phase[1], (0.75 + 0.1 / 0.9375 - 0.8) / 0.2, 1e-14);
}

// From 40 % of a phase on, a foot is where it should be, or early, or lost.
TEST(toes_that_touch)
{
    const sac_gait gait = {.period = 1, .duty = 0.5};
    const double times[] = {0.0, 0.19, 0.21, 0.49, 0.51, 0.69, 0.71, 0.99};
    const sac_foot with[] = {SAC_FOOT_STANCE, SAC_FOOT_STANCE, SAC_FOOT_STANCE, SAC_FOOT_STANCE,
                             SAC_FOOT_SWING,  SAC_FOOT_SWING,  SAC_FOOT_EARLY,  SAC_FOOT_EARLY},
                   without[] = {SAC_FOOT_STANCE, SAC_FOOT_STANCE, SAC_FOOT_LOST,  SAC_FOOT_LOST,
                                SAC_FOOT_SWING,  SAC_FOOT_SWING,  SAC_FOOT_SWING, SAC_FOOT_SWING};
    for (int i = 0; i < 8; i++)
    {
        sac_gait_feet touching = sac_gait_at(&gait, times[i], all), free = sac_gait_at(&gait, times[i], none);
        for (int leg = 0; leg < SAC_LEGS; leg++)
        {
            assert_int_equal(touching.foot[leg], with[i]);
            assert_int_equal(free.foot[leg], without[i]);
            assert_true(touching.stands[leg] == (i < 4) && free.stands[leg] == (i < 4));
        }
    }
}

// Over a period each foot stands for the duty's share of it, to one sample of 10,000; phases are 0..1 and go on.
TEST(stance_takes_its_share)
{
    sac_stream s = sac_stream_create(1, 0, 0);
    for (int round = 0; round < 50; round++)
    {
        sac_gait gait = {.period = sac_stream_uniform(&s, 0.1, 2), .duty = sac_stream_uniform(&s, 0.05, 0.95)};
        for (int leg = 0; leg < SAC_LEGS; leg++) gait.offset[leg] = sac_stream_uniform(&s, -2, 2);
        const double begin = sac_stream_uniform(&s, 0, 1000);
        int stood[SAC_LEGS] = {0};
        double last[SAC_LEGS];
        bool stands[SAC_LEGS];
        for (int i = 0; i < 10000; i++)
        {
            sac_gait_feet feet = sac_gait_at(&gait, begin + gait.period * i / 10000, none);
            for (int leg = 0; leg < SAC_LEGS; leg++)
            {
                assert_true(feet.phase[leg] >= 0 && feet.phase[leg] < 1);
                if (i > 0 && stands[leg] == feet.stands[leg]) assert_true(feet.phase[leg] > last[leg]);
                last[leg] = feet.phase[leg], stands[leg] = feet.stands[leg];
                stood[leg] += feet.stands[leg];
            }
        }
        for (int leg = 0; leg < SAC_LEGS; leg++) assert_near(stood[leg], 10000 * gait.duty, 1 + 1e-6);
    }
    // an offset that rounding takes to a whole period
    const sac_gait edge = {.period = 1, .duty = 0.5, .offset = {-1e-18, 0, 1 - 0x1p-53, -0x1p-53}};
    sac_gait_feet feet = sac_gait_at(&edge, 0, none);
    for (int leg = 0; leg < SAC_LEGS; leg++) assert_true(feet.phase[leg] >= 0 && feet.phase[leg] < 1);
}

TESTS(phases_by_hand, toes_that_touch, stance_takes_its_share)
