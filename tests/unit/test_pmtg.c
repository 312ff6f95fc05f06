#include "saccade/pmtg.h"
#include "test.h"

/// Trajectory generators: phases and legs by hand, limits, the low pass, and a reset that forgets everything.

#define PI 3.14159265358979312

static void fill_action(double action[SAC_PMTG_ACTIONS], double residual, double speed, double intensity, double height,
                        double ratio)
{
    for (int i = 0; i < SAC_PMTG_SPEED; i++) action[i] = residual;
    action[SAC_PMTG_SPEED] = speed, action[SAC_PMTG_INTENSITY] = intensity;
    action[SAC_PMTG_HEIGHT] = height, action[SAC_PMTG_RATIO] = ratio;
    for (int i = SAC_PMTG_HEIGHTS; i < SAC_PMTG_ACTIONS; i++) action[i] = height;
}

// no low pass, and what moves may move at once
static sac_pmtg_def free_def(double step)
{
    sac_pmtg_def def = sac_pmtg_default_def(step);
    def.cutoff = 0;
    for (int i = 0; i < 3; i++) def.rise[i] = 100;
    return def;
}

// Ratio 3: stance takes 3/4 of a period. At 2.5 Hz and steps of 0.04 s a step is a tenth of a period: in stance pi 0.1
// / 0.75 = 2 pi / 15, in swing pi 0.1 / 0.25 = 2 pi / 5. The eighth step crosses pi after half of it. Leg 1 has offset
// 0, leg 0 is half a period ahead: 2 pi / 15 + pi 0.5 / 0.75.
TEST(phases_and_legs_by_hand)
{
    const sac_pmtg_def def = free_def(0.04);
    double action[SAC_PMTG_ACTIONS], legs[SAC_LEGS][SAC_LEG_JOINTS];
    fill_action(action, 0.1, 2.5, 0.8, 0.3, 3);
    sac_pmtg s;
    sac_pmtg_reset(&s, &def);
    sac_pmtg_step(legs, &s, &def, action);
    assert_near(s.phase, 2 * PI / 15, 1e-15);
    assert_near(sac_pmtg_phase(&s, &def, 1), 2 * PI / 15, 1e-15);
    assert_near(sac_pmtg_phase(&s, &def, 0), 2 * PI / 15 + 2 * PI / 3, 1e-14);
    // rear right, 3/4 ahead: at 0.85 of the period, 0.1 / 0.25 through its swing
    assert_near(sac_pmtg_phase(&s, &def, 2), PI + PI * 0.4, 1e-14);
    assert_near(legs[1][0], 0.1, 0);
    assert_near(legs[1][1], 0.1 + 0.5 * cos(2 * PI / 15) * 0.8, 1e-15);
    assert_near(legs[1][2], 0.1 + 0.3 - 0.02 * sin(2 * PI / 15) * 0.8, 1e-15);
    assert_near(legs[2][1], 0.1 + 0.5 * cos(1.4 * PI) * 0.8, 1e-14);
    assert_near(legs[2][2], 0.1 + 0.3 + 0.9 * sin(1.4 * PI) * 0.8, 1e-14); // shorter: the sine is negative
    double told[2];
    sac_pmtg_observe(told, &s);
    assert_near(told[0], (cos(2 * PI / 15) + 1) / 2, 1e-15);
    assert_near(told[1], (sin(2 * PI / 15) + 1) / 2, 1e-15);
    for (int i = 1; i < 8; i++) sac_pmtg_step(legs, &s, &def, action);
    assert_near(s.phase, PI + PI * 0.05 / 0.25, 1e-14);
    for (int i = 8; i < 10; i++) sac_pmtg_step(legs, &s, &def, action);
    assert_near(fmin(s.phase, 2 * PI - s.phase), 0, 1e-14); // a whole period
}

// hip = pi/4 - 0.2 - 0.15, knee = -pi/2 + 0.3
TEST(joints_by_hand)
{
    double joints[SAC_LEG_JOINTS];
    sac_pmtg_joints(joints, (const double[]){0.05, 0.2, 0.3});
    assert_near(joints[0], 0.05, 0);
    assert_near(joints[1], PI / 4 - 0.35, 1e-15);
    assert_near(joints[2], 0.3 - PI / 2, 1e-15);
}

// Phases stay in 0..2 pi whatever speeds, ratios and offsets are. The share of steps in stance is ratio / (ratio + 1),
// to two steps. Slopes are 2 pi (ratio + 1) / (2 ratio) and 2 pi (ratio + 1) / 2.
TEST(stance_takes_its_share)
{
    sac_stream s = sac_stream_create(1, 0, 0);
    double action[SAC_PMTG_ACTIONS], legs[SAC_LEGS][SAC_LEG_JOINTS];
    for (int round = 0; round < 100; round++)
    {
        sac_pmtg_def def = free_def(0.001);
        for (int leg = 0; leg < SAC_LEGS; leg++) def.offset[leg] = sac_stream_uniform(&s, 0, 1);
        const double ratio = sac_stream_uniform(&s, 0.2, 5), speed = sac_stream_uniform(&s, 2, 4);
        fill_action(action, 0, speed, 1, 0, ratio);
        sac_pmtg state;
        sac_pmtg_reset(&state, &def);
        const int steps = 2000;
        int stood[SAC_LEGS] = {0};
        double last[SAC_LEGS];
        for (int i = 0; i < steps; i++)
        {
            sac_pmtg_step(legs, &state, &def, action);
            assert_true(state.phase >= 0 && state.phase < 2 * PI);
            for (int leg = 0; leg < SAC_LEGS; leg++)
            {
                const double phase = sac_pmtg_phase(&state, &def, leg), moved = phase - last[leg];
                assert_true(phase >= 0 && phase < 2 * PI);
                stood[leg] += phase < PI;
                const double share = phase < PI ? ratio / (ratio + 1) : 1 / (ratio + 1);
                if (i > 0 && moved > 0 && (phase < PI) == (last[leg] < PI))
                    assert_near(moved, PI * speed * 0.001 / share, 1e-12);
                last[leg] = phase;
            }
        }
        // 2 s are a whole number of periods and a rest, which may be in stance or not
        const double periods = floor(2 * speed), rest = 2 * speed - periods, share = ratio / (ratio + 1);
        for (int leg = 0; leg < SAC_LEGS; leg++)
        {
            const double least = periods * share + fmax(0, rest - (1 - share)),
                         most = periods * share + fmin(rest, share);
            assert_true(stood[leg] >= steps * least / (2 * speed) - 2 * periods - 2);
            assert_true(stood[leg] <= steps * most / (2 * speed) + 2 * periods + 2);
        }
    }
}

// Any action, numbers that are none included, any low pass and step: what comes out is within what bounds allow, and
// intensity, height and ratio rise by so much at most and fall at once.
TEST(limits_hold)
{
    sac_stream s = sac_stream_create(2, 0, 0);
    double action[SAC_PMTG_ACTIONS], legs[SAC_LEGS][SAC_LEG_JOINTS];
    for (int round = 0; round < 200; round++)
    {
        sac_pmtg_def def = sac_pmtg_default_def(sac_stream_uniform(&s, 0.001, 0.2));
        if (round % 3 == 0) def.cutoff = sac_stream_uniform(&s, 0, 10);
        sac_pmtg state;
        sac_pmtg_reset(&state, &def);
        for (int i = 0; i < 200; i++)
        {
            for (int k = 0; k < SAC_PMTG_ACTIONS; k++)
            {
                action[k] = sac_stream_uniform(&s, -10, 10);
                const uint32_t kind = sac_stream_below(&s, 12);
                if (kind < 3) action[k] = (const double[]){(double)NAN, (double)INFINITY, (double)-INFINITY}[kind];
            }
            const sac_pmtg before = state;
            sac_pmtg_step(legs, &state, &def, action);
            assert_true(state.phase >= 0 && state.phase < 2 * PI);
            for (int k = 0; k < SAC_PMTG_ACTIONS; k++)
                assert_true(state.filtered[k] >= def.low[k] && state.filtered[k] <= def.high[k]);
            for (int k = 0; k < 3; k++)
            {
                const double wanted = state.filtered[SAC_PMTG_INTENSITY + k], most = before.moved[k] + def.rise[k];
                assert_true(state.moved[k] == (wanted < most ? wanted : most));
            }
            for (int leg = 0; leg < SAC_LEGS; leg++)
            {
                assert_true(fabs(legs[leg][0]) <= 0.35 && fabs(legs[leg][1]) <= 0.35 + 0.5 + 1e-15);
                assert_true(legs[leg][2] >= -0.35 - 0.5 - 0.9 - 1e-15 && legs[leg][2] <= 0.35 + 1 + 1e-15);
            }
        }
    }
}

// From 0 with a rise of 0.1, 1 and 0.4: intensity 0.1, 0.2, ...; height at once; ratio 1.4, 1.8, ...; down at once.
TEST(rises_are_slow_and_falls_are_not)
{
    sac_pmtg_def def = sac_pmtg_default_def(0.01);
    def.cutoff = 0;
    def.start[0] = 0;
    double action[SAC_PMTG_ACTIONS], legs[SAC_LEGS][SAC_LEG_JOINTS];
    sac_pmtg s;
    sac_pmtg_reset(&s, &def);
    fill_action(action, 0, 3, 1, 1, 5);
    for (int i = 1; i <= 10; i++)
    {
        sac_pmtg_step(legs, &s, &def, action);
        assert_near(s.moved[0], 0.1 * i, 1e-15);
        assert_near(s.moved[1], 1, 0);
        assert_near(s.moved[2], 1 + 0.4 * i, 1e-14);
    }
    fill_action(action, 0, 3, 0, -0.5, 0.2);
    sac_pmtg_step(legs, &s, &def, action);
    assert_true(s.moved[0] == 0 && s.moved[1] == -0.5 && s.moved[2] == 0.2);
    // and a number that is none is the middle of its range
    fill_action(action, (double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN);
    sac_pmtg_step(legs, &s, &def, action);
    assert_near(s.filtered[0], 0, 0);
    assert_near(s.filtered[SAC_PMTG_SPEED], 3, 0);
    assert_near(s.filtered[SAC_PMTG_RATIO], 2.6, 1e-15);
}

// At 3 Hz and 100 steps a second the coefficients are 0.08636 and -0.82727. A constant goes through as it is, from the
// first action on. A jump of 0.2 gives 0.2 b, then 0.2 (1 - (1 - b) (1 - 2 b)^k); a sine of the cut-off's frequency
// comes out with 1 / sqrt(2) of its size.
TEST(the_low_pass)
{
    const sac_pmtg_def def = sac_pmtg_default_def(0.01);
    double action[SAC_PMTG_ACTIONS], legs[SAC_LEGS][SAC_LEG_JOINTS];
    sac_pmtg s;
    sac_pmtg_reset(&s, &def);
    fill_action(action, 0.1, 3.5, 0.7, 0.3, 2);
    for (int i = 0; i < 20; i++)
    {
        sac_pmtg_step(legs, &s, &def, action);
        for (int k = 0; k < sac_pmtg_actions(&def); k++) assert_near(s.filtered[k], action[k], 1e-14);
    }
    const double b = 0.08636;
    for (int k = 0; k < SAC_PMTG_SPEED; k++) action[k] = 0.3;
    for (int i = 0; i < 30; i++)
    {
        sac_pmtg_step(legs, &s, &def, action);
        assert_near(s.filtered[5], 0.1 + 0.2 * (1 - (1 - b) * pow(0.82727, i)), 0.2 * 30 * 6e-6);
    }
    sac_pmtg_reset(&s, &def);
    double squares = 0;
    for (int i = 0; i < 1000; i++)
    {
        action[0] = 0.3 * sin(2 * PI * 3 * 0.01 * i);
        sac_pmtg_step(legs, &s, &def, action);
        if (i >= 900) squares += s.filtered[0] * s.filtered[0];
    }
    assert_near(squares, 50 * 0.3 * 0.3 / 2, 1e-9); // three whole periods, whose squares are 1/2 in the mean
}

// After a reset the same actions give the same bits, whatever was before.
TEST(a_reset_forgets_everything)
{
    const sac_pmtg_def def = sac_pmtg_default_def(0.004);
    double action[SAC_PMTG_ACTIONS], legs[SAC_LEGS][SAC_LEG_JOINTS];
    sac_pmtg fresh, used;
    sac_pmtg_reset(&fresh, &def);
    sac_pmtg_reset(&used, &def);
    fill_action(action, 0.3, 4, 1, 0.9, 4);
    for (int i = 0; i < 123; i++) sac_pmtg_step(legs, &used, &def, action);
    assert_true(used.moved[2] == 4);
    sac_pmtg_reset(&used, &def);
    assert_memory_equal(&fresh, &used, sizeof fresh);
    double again[SAC_LEGS][SAC_LEG_JOINTS];
    sac_stream s = sac_stream_create(3, 0, 0);
    for (int i = 0; i < 100; i++)
    {
        for (int k = 0; k < SAC_PMTG_ACTIONS; k++) action[k] = sac_stream_uniform(&s, def.low[k], def.high[k]);
        sac_pmtg_step(legs, &fresh, &def, action);
        sac_pmtg_step(again, &used, &def, action);
        assert_memory_equal(legs, again, sizeof legs);
    }
}

// With heights of their own the legs differ by these alone, and without them the last three numbers are not read.
TEST(legs_have_heights_of_their_own)
{
    sac_pmtg_def def = free_def(0.01);
    double action[SAC_PMTG_ACTIONS], legs[2][SAC_LEGS][SAC_LEG_JOINTS];
    fill_action(action, 0, 2, 0.5, -0.2, 1);
    assert_int_equal(sac_pmtg_actions(&def), 16);
    for (int own = 0; own < 2; own++)
    {
        sac_pmtg s;
        def.own_heights = own;
        for (int i = 0; i < 3; i++) action[SAC_PMTG_HEIGHTS + i] = own ? 0.1 * (i + 1) : (double)NAN;
        sac_pmtg_reset(&s, &def);
        sac_pmtg_step(legs[own], &s, &def, action);
    }
    assert_int_equal(sac_pmtg_actions(&def), 19);
    for (int leg = 0; leg < SAC_LEGS; leg++)
    {
        assert_true(legs[0][leg][0] == legs[1][leg][0] && legs[0][leg][1] == legs[1][leg][1]);
        assert_near(legs[1][leg][2] - legs[0][leg][2], leg == 0 ? 0 : 0.1 * leg + 0.2, 1e-15);
    }
}

// each gait's feet fall in its order: the foot that is ahead by most lifts first
TEST(offsets_of_gaits)
{
    double offset[SAC_LEGS];
    const double expected[][SAC_LEGS] = {
        {0.5, 0, 0.75, 0.25}, {0.5, 0, 0, 0.5}, {0, 0, 0.5, 0.5}, {0.5, 0, 0.5, 0}, {0, 0, 0, 0}};
    for (int gait = SAC_PMTG_WALK; gait <= SAC_PMTG_PRONK; gait++)
    {
        sac_pmtg_offsets(offset, (sac_pmtg_gait)gait);
        assert_memory_equal(offset, expected[gait], sizeof offset);
    }
}

TESTS(phases_and_legs_by_hand, joints_by_hand, stance_takes_its_share, limits_hold, rises_are_slow_and_falls_are_not,
      the_low_pass, a_reset_forgets_everything, legs_have_heights_of_their_own, offsets_of_gaits)
